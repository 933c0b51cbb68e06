// The page: one Client, made from a pairing link, and five things to do with it.
import {
  RelayClientError,
  createRelayClient,
  type ClientStatus,
  type RelayClient,
} from '@openchambery/client';
import { setUpFetchCard } from './fetch-card.ts';
import { setUpImageCard } from './image-card.ts';
import { element } from './element.ts';
import { takeLinkFromAddress, readPairingLink } from './pairing.ts';
import { setUpSocketCard } from './socket-card.ts';
import { setUpStreamCard } from './stream-card.ts';
import { setUpUploadCard } from './upload-card.ts';

const TEXT: Readonly<Record<ClientStatus['state'], string>> = {
  idle: 'not connected',
  connecting: 'connecting …',
  connected: 'connected, end-to-end encrypted',
  reconnecting: 'connection lost',
  failed: 'refused',
  closed: 'disconnected',
};

let client: RelayClient | undefined;

const form = element('pairing-form', HTMLFormElement);
const linkField = element('link', HTMLTextAreaElement);
const pairingError = element('pairing-error', HTMLElement);
const disconnect = element('disconnect', HTMLButtonElement);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  connect(linkField.value);
});
disconnect.addEventListener('click', () => client?.close());

const current = () => {
  if (client === undefined) throw new Error('there is no connection yet');
  return client;
};
setUpFetchCard(current);
setUpStreamCard(current);
setUpUploadCard(current);
setUpSocketCard(current);
setUpImageCard(current);
showStatus({ state: 'idle' });

connectByAddress();
// A link that is opened in the tab where the page is already changes the fragment only.
window.addEventListener('hashchange', connectByAddress);

function connectByAddress(): void {
  const link = takeLinkFromAddress();
  if (link === undefined) return;
  connect(link);
}

function connect(text: string): void {
  client?.close();
  client = undefined;
  const facts = readPairingLink(text);
  pairingError.hidden = facts.isValid;
  if (!facts.isValid) {
    pairingError.textContent = facts.problem;
    return;
  }
  // The link holds a secret: it must not stay on the screen.
  linkField.value = '';
  if (!globalThis.isSecureContext) {
    pairingError.hidden = false;
    pairingError.textContent =
      'Browsers allow encryption only on pages that came over https, or from this very machine (localhost). Open this page there.';
    return;
  }
  client = createRelayClient(facts.pairing);
  client.onStatus(showStatus);
  element('facts', HTMLElement).hidden = false;
  element('fact-relay', HTMLElement).textContent = facts.pairing.relayUrl;
  element('fact-host', HTMLElement).textContent = facts.pairing.serverId;
  // A failure is shown as the status.
  client.connect().catch(() => undefined);
}

function showStatus(status: ClientStatus): void {
  element('state', HTMLElement).dataset['state'] = status.state;
  element('state-text', HTMLElement).textContent = TEXT[status.state];
  const detail = element('state-detail', HTMLElement);
  const text = detailOf(status);
  detail.hidden = text === '';
  detail.textContent = text;
  disconnect.disabled = status.state === 'idle' || status.state === 'closed';
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-needs-tunnel]')) {
    button.disabled = status.state !== 'connected';
  }
}

function detailOf(status: ClientStatus): string {
  switch (status.state) {
    case 'reconnecting':
      return `${describe(status.error)} Next attempt in ${Math.ceil(status.retryInMs / 1000)} s.`;
    case 'failed':
      return describe(status.error);
    default:
      return '';
  }
}

function describe(error: RelayClientError): string {
  return /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
}
