import type { RelayClient } from '@openchambery/client';
import { element, retire, summarise } from './element.ts';
import { wordsOf, wordsOfAnswer } from './words.ts';

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
    summarise('stream-status', 'asking …');
    let words = 0;
    const say = (how: string, outcome: 'good' | 'bad' = 'good') => {
      // Unless another question has taken its place.
      if (signal === controller.signal) summarise('stream-status', `${words} events${how}`, outcome);
    };
    try {
      const response = await client().fetch('/api/stream', { signal });
      if (!response.ok || response.body === null) throw new Error(await wordsOfAnswer(response));
      for await (const word of readEvents(response.body)) {
        words += 1;
        text.textContent += word;
        say('');
      }
      say(', complete');
    } catch (error) {
      say(`, ${wordsOf(error)}`, signal.aborted ? 'good' : 'bad');
    } finally {
      if (signal === controller.signal) retire(stop, start);
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
