import type { RelayClient, TunnelWebSocket } from '@openchambery/client';
import { element, retire, summarise } from './element.ts';
import { wordsOf } from './words.ts';

const MOST_LINES = 200;

/** A WebSocket that the program at home echoes. Opened with the first message, and again after it was closed. */
export function setUpSocketCard(client: () => RelayClient): void {
  const text = element('socket-text', HTMLInputElement);
  const closing = element('socket-close', HTMLButtonElement);
  let socket: TunnelWebSocket | undefined;
  const open = (first: string) => {
    const opening = new (client().WebSocket)('/ws');
    let failure: unknown;
    opening.addEventListener('open', () => {
      summarise('socket-status', 'open');
      opening.send(first);
    });
    opening.addEventListener('message', ({ data }) => show('received', String(data)));
    opening.addEventListener('error', (event) => {
      failure = (event as Event & { readonly error?: unknown }).error;
    });
    opening.addEventListener('close', ({ code, reason }) => {
      const why = failure === undefined ? reason : wordsOf(failure);
      summarise('socket-status', `closed with ${code} ${why}`.trim(), code === 1000 ? 'good' : 'bad');
      if (socket === opening) retire(closing, text);
    });
    closing.disabled = false;
    summarise('socket-status', 'opening …');
    return opening;
  };
  closing.addEventListener('click', () => socket?.close(1000, 'the user is done'));
  element('socket-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const message = text.value;
    try {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
      // Typed faster than it opens.
      else if (socket?.readyState === WebSocket.CONNECTING) sendWhenOpen(socket, message);
      else socket = open(message);
      text.value = '';
      show('sent', message);
    } catch (error) {
      summarise('socket-status', wordsOf(error), 'bad');
    }
  });
}

function sendWhenOpen(socket: TunnelWebSocket, message: string): void {
  socket.addEventListener('open', () => socket.send(message));
}

function show(kind: 'sent' | 'received', message: string): void {
  const log = element('socket-log', HTMLElement);
  const line = document.createElement('p');
  line.className = kind;
  line.textContent = message;
  log.append(line);
  if (log.childElementCount > MOST_LINES) log.firstElementChild?.remove();
  log.scrollTop = log.scrollHeight;
}
