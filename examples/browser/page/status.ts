import type { ClientStatus, RelayClient, RelayClientError } from '@openchambery/client';
import { element, retire } from './element.ts';
import { size } from './words.ts';

const TEXT: Readonly<Record<ClientStatus['state'], string>> = {
  idle: 'not connected',
  connecting: 'connecting …',
  connected: 'connected, end-to-end encrypted',
  reconnecting: 'connection lost',
  failed: 'refused',
  closed: 'disconnected',
};

/** States in which a request is made at once, or as soon as there is a connection. */
const USABLE: ReadonlySet<ClientStatus['state']> = new Set(['connecting', 'connected', 'reconnecting']);

const TICK_MS = 250;

/** Shows where a Client stands: its state, what is wrong, when it tries again, how much it has moved. */
export function watchStatus(client: RelayClient): void {
  let retryAt = 0;
  const tick = () => {
    showTraffic(client);
    if (client.status.state === 'reconnecting') showRetry(retryAt - performance.now());
  };
  const timer = setInterval(tick, TICK_MS);
  client.onStatus((status) => {
    if (status.state === 'reconnecting') retryAt = performance.now() + status.retryInMs;
    if (status.state === 'closed') clearInterval(timer);
    showStatus(status);
    tick();
  });
}

/** Shows a state. */
export function showStatus(status: ClientStatus): void {
  element('state', HTMLElement).dataset['state'] = status.state;
  setText('state-text', TEXT[status.state]);
  const error = status.state === 'reconnecting' || status.state === 'failed' ? status.error : undefined;
  showTrouble(error);
  if (status.state !== 'reconnecting') setText('retry-in', '');
  const disconnect = element('disconnect', HTMLButtonElement);
  if (status.state === 'idle' || status.state === 'closed') {
    retire(disconnect, element('link', HTMLTextAreaElement));
  } else {
    disconnect.disabled = false;
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-needs-tunnel]')) {
    button.disabled = !USABLE.has(status.state);
  }
}

function showTrouble(error: RelayClientError | undefined): void {
  const trouble = element('trouble', HTMLElement);
  const tryNow = element('try-now', HTMLButtonElement);
  const hadFocus = document.activeElement === tryNow;
  trouble.hidden = error === undefined;
  // After the element is there, or nobody would be told of its text.
  setText('trouble-text', error === undefined ? '' : sentence(error.message));
  if (hadFocus && trouble.hidden) element('link', HTMLTextAreaElement).focus();
}

function showRetry(ms: number): void {
  setText('retry-in', ms <= 0 ? 'Trying …' : `Next attempt in ${Math.ceil(ms / 1000)} s`);
}

function showTraffic({ traffic }: RelayClient): void {
  const { sentBytes, receivedBytes } = traffic;
  setText('fact-traffic', `${size(sentBytes)} sent, ${size(receivedBytes)} received`);
}

/** Screen readers repeat what is set anew, though it is the same. */
function setText(id: string, text: string): void {
  const target = element(id, HTMLElement);
  if (target.textContent !== text) target.textContent = text;
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/u.test(capital) ? capital : `${capital}.`;
}
