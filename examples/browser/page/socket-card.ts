import type { RelayClient, TunnelWebSocket } from '@openchambery/client';
import { element, summarise, wordsOf } from './element.ts';

const MOST_LINES = 200;

/** A WebSocket that the program at home echoes. Opened with the first message, and again after it was closed. */
export function setUpSocketCard(client: () => RelayClient): void {
  const text = element('socket-text', HTMLInputElement);
  const log = element('socket-log', HTMLOListElement);
  let socket: TunnelWebSocket | undefined;
  const add = (kind: 'sent' | 'received', message: string) => {
    const line = document.createElement('li');
    line.className = kind;
    line.textContent = message;
    log.append(line);
    if (log.childElementCount > MOST_LINES) log.firstElementChild?.remove();
    log.scrollTop = log.scrollHeight;
  };
  const open = (first: string) => {
    const opening = new (client().WebSocket)('/ws');
    opening.addEventListener('open', () => {
      summarise('socket-status', 'open');
      opening.send(first);
    });
    opening.addEventListener('message', ({ data }) => add('received', String(data)));
    opening.addEventListener('close', ({ code, reason }) =>
      summarise('socket-status', `closed with ${code} ${reason}`.trim(), code === 1000 ? 'good' : 'bad'),
    );
    return opening;
  };
  element('socket-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const message = text.value;
    text.value = '';
    try {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
      else socket = open(message);
      add('sent', message);
    } catch (error) {
      summarise('socket-status', wordsOf(error), 'bad');
    }
  });
}
