import type { RelayClient } from '@openchambery/client';
import { element, retire, summarise } from './element.ts';
import { mebibytes, wordsOf, wordsOfAnswer } from './words.ts';

/** A file goes home as a stream: progress is what the tunnel has taken, which is never far ahead of what has arrived. */
export function setUpUploadCard(client: () => RelayClient): void {
  const file = element('upload-file', HTMLInputElement);
  const progress = element('upload-progress', HTMLProgressElement);
  const stop = element('upload-stop', HTMLButtonElement);
  let controller = new AbortController();
  stop.addEventListener('click', () => controller.abort(new Error('cancelled')));
  element('upload-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    const chosen = file.files?.[0];
    if (chosen === undefined) return;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    stop.disabled = false;
    progress.hidden = false;
    progress.value = 0;
    const say = (text: string, outcome: 'good' | 'bad' = 'good') => {
      // Unless another upload has taken its place.
      if (signal === controller.signal) summarise('upload-status', text, outcome);
    };
    const startedAt = performance.now();
    const rate = (bytes: number) => `${mebibytes((bytes * 1000) / (performance.now() - startedAt))}/s`;
    try {
      const sending = counting(chosen.stream(), (sent) => {
        if (signal.aborted) return;
        progress.value = sent / chosen.size;
        say(`${mebibytes(sent)} of ${mebibytes(chosen.size)} · ${rate(sent)}`);
      });
      const { bytes, sha256 } = await send(client(), sending, signal);
      progress.value = 1;
      say(`${bytes} bytes arrived · ${rate(bytes)} · SHA-256 ${sha256}`);
    } catch (error) {
      say(wordsOf(error), signal.aborted ? 'good' : 'bad');
    } finally {
      if (signal === controller.signal) retire(stop, file);
    }
  });
}

async function send(
  client: RelayClient,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const headers = { 'content-type': 'application/octet-stream' };
  const init = { method: 'POST', headers, body, duplex: 'half', signal } as RequestInit;
  const response = await client.fetch('/api/upload', init);
  if (!response.ok) throw new Error(await wordsOfAnswer(response));
  return await response.json();
}

function counting(
  source: ReadableStream<Uint8Array>,
  report: (sent: number) => void,
): ReadableStream<Uint8Array> {
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.byteLength;
      controller.enqueue(chunk);
      report(sent);
    },
  });
  return source.pipeThrough(count);
}
