// The page: one Client, made from a pairing link, and five things to do with it.
import { createRelayClient, type RelayClient } from '@openchambery/client';
import { setUpFetchCard } from './fetch-card.ts';
import { setUpImageCard } from './image-card.ts';
import { element } from './element.ts';
import { takeLinkFromAddress, readPairingLink } from './pairing.ts';
import { setUpSocketCard } from './socket-card.ts';
import { showStatus, watchStatus } from './status.ts';
import { setUpStreamCard } from './stream-card.ts';
import { setUpUploadCard } from './upload-card.ts';

let client: RelayClient | undefined;

const form = element('pairing-form', HTMLFormElement);
const linkField = element('link', HTMLTextAreaElement);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  connect(linkField.value);
});
// A link has no line breaks to type.
linkField.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
element('disconnect', HTMLButtonElement).addEventListener('click', () => client?.close());
element('try-now', HTMLButtonElement).addEventListener('click', () => {
  if (client?.status.state === 'failed') connectNow(client);
  else client?.networkChanged();
});

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
  const facts = readPairingLink(text);
  if (!facts.isValid) return refuse(facts.problem);
  // The link holds a secret: it must not stay on the screen.
  linkField.value = '';
  if (!globalThis.isSecureContext) {
    return refuse(
      'Browsers allow encryption only on pages that came over https, or from this very machine (localhost). Open this page there.',
    );
  }
  refuse('');
  client?.close();
  client = createRelayClient(facts.pairing);
  watchStatus(client);
  element('facts', HTMLElement).hidden = false;
  element('fact-relay', HTMLElement).textContent = facts.pairing.relayUrl;
  element('fact-host', HTMLElement).textContent = facts.pairing.serverId;
  connectNow(client);
}

function connectNow(client: RelayClient): void {
  // A failure is shown as the status.
  client.connect().catch(() => undefined);
}

/** Says what is wrong with the link; nothing, when the text is empty. What is connected stays connected. */
function refuse(problem: string): void {
  element('pairing-error', HTMLElement).textContent = problem;
  linkField.removeAttribute('aria-invalid');
  if (problem === '') return;
  linkField.setAttribute('aria-invalid', 'true');
  linkField.focus();
}
