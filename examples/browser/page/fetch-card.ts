import type { RelayClient } from '@openchambery/client';
import { element, summarise } from './element.ts';
import { isJson, messageIn, wordsOf } from './words.ts';

const MOST_SHOWN = 20_000;

/** A request and its whole answer. */
export function setUpFetchCard(client: () => RelayClient): void {
  const path = element('fetch-path', HTMLInputElement);
  const body = element('fetch-body', HTMLElement);
  let controller = new AbortController();
  element('fetch-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    body.textContent = '';
    summarise('fetch-status', 'asking …');
    const startedAt = performance.now();
    try {
      const response = await client().fetch(path.value, { signal });
      const text = await response.text();
      const ms = Math.round(performance.now() - startedAt);
      const type = response.headers.get('content-type') ?? 'no content type';
      const refusal = response.ok || !isJson(response) ? undefined : messageIn(text);
      body.textContent = text.slice(0, MOST_SHOWN);
      summarise(
        'fetch-status',
        refusal === undefined
          ? `${response.status} · ${type} · ${ms} ms`
          : `${response.status} · ${refusal} · ${ms} ms`,
        response.ok ? 'good' : 'bad',
      );
    } catch (error) {
      // Another request has taken its place.
      if (!signal.aborted) summarise('fetch-status', wordsOf(error), 'bad');
    }
  });
}
