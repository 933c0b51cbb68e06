import type { RelayClient } from '@openchambery/client';
import { element, summarise, wordsOf } from './element.ts';

const MOST_SHOWN = 20_000;

/** A request and its whole answer. */
export function setUpFetchCard(client: () => RelayClient): void {
  const path = element('fetch-path', HTMLInputElement);
  const body = element('fetch-body', HTMLElement);
  element('fetch-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    body.textContent = '';
    summarise('fetch-status', 'asking …');
    const startedAt = performance.now();
    try {
      const response = await client().fetch(path.value);
      const text = await response.text();
      const ms = Math.round(performance.now() - startedAt);
      const type = response.headers.get('content-type') ?? 'no content type';
      body.textContent = text.slice(0, MOST_SHOWN);
      summarise('fetch-status', `${response.status} · ${type} · ${ms} ms`, response.ok ? 'good' : 'bad');
    } catch (error) {
      summarise('fetch-status', wordsOf(error), 'bad');
    }
  });
}
