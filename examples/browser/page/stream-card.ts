import type { RelayClient } from '@openchambery/client';
import { element, summarise, wordsOf } from './element.ts';

/** Server-sent events, shown word by word as they come. */
export function setUpStreamCard(client: () => RelayClient): void {
  const start = element('stream-start', HTMLButtonElement);
  const stop = element('stream-stop', HTMLButtonElement);
  const text = element('stream-text', HTMLElement);
  let controller = new AbortController();
  stop.addEventListener('click', () => controller.abort(new Error('stopped')));
  start.addEventListener('click', async () => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    text.textContent = '';
    stop.disabled = false;
    let words = 0;
    try {
      const response = await client().fetch('/api/stream', { signal });
      if (!response.ok || response.body === null) throw new Error(`the program answered ${response.status}`);
      for await (const word of readEvents(response.body)) {
        words += 1;
        text.textContent += word;
        summarise('stream-status', `${words} events`);
      }
      summarise('stream-status', `${words} events, complete`);
    } catch (error) {
      summarise('stream-status', `${words} events, ${wordsOf(error)}`, signal.aborted ? 'good' : 'bad');
    } finally {
      stop.disabled = signal === controller.signal;
    }
  });
}

/** The `data` lines of an event stream, each a JSON string. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as string;
    }
  }
}
