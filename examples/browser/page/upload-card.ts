import type { RelayClient } from '@openchambery/client';
import { element, summarise, wordsOf } from './element.ts';

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
    controller = new AbortController();
    stop.disabled = false;
    progress.value = 0;
    const report = (sent: number) => {
      progress.value = chosen.size === 0 ? 1 : sent / chosen.size;
      summarise('upload-status', `${mebibytes(sent)} of ${mebibytes(chosen.size)} MiB`);
    };
    try {
      const response = await client().fetch('/api/upload', {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: counting(chosen.stream(), report),
        duplex: 'half',
        signal: controller.signal,
      } as RequestInit);
      if (!response.ok) throw new Error(`the program answered ${response.status}`);
      const { bytes, sha256 } = (await response.json()) as { bytes: number; sha256: string };
      progress.value = 1;
      summarise('upload-status', `${bytes} bytes arrived, SHA-256 ${sha256}`);
    } catch (error) {
      summarise('upload-status', wordsOf(error), 'bad');
    } finally {
      stop.disabled = true;
    }
  });
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

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
