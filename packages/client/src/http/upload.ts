import type { ClientHttpStream } from '@openchambery/tunnel';

/** As much of a body that lies in memory is queued at a time. */
const PIECE_BYTES = 65_536;

/**
 * Sends a body, no faster than it travels, and ends it. Resolves when nothing is left to do, also when the stream broke;
 * rejects when the body itself cannot be read to its end.
 */
export async function upload(
  body: Uint8Array | ReadableStream<Uint8Array> | undefined,
  stream: ClientHttpStream,
): Promise<void> {
  const { output } = stream;
  if (body instanceof Uint8Array) {
    // In the turn of its request, so that a small one travels in the same message.
    if (body.length > PIECE_BYTES) await sendBytes(body, stream);
    else if (body.length > 0) output.write(body);
  } else if (body !== undefined) {
    await sendStream(body, stream);
  }
  output.end();
}

async function sendBytes(bytes: Uint8Array, { output, signal }: ClientHttpStream): Promise<void> {
  for (let at = 0; at < bytes.length && !signal.aborted; at += PIECE_BYTES) {
    const isRoom = output.write(bytes.subarray(at, at + PIECE_BYTES));
    if (!isRoom) await output.drained();
  }
}

async function sendStream(
  body: ReadableStream<Uint8Array>,
  { output, signal }: ClientHttpStream,
): Promise<void> {
  const reader = body.getReader();
  // Also ends a read that waits. What the source says to being cancelled is of no interest to anyone.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) break;
      if (!isBytes(value)) throw new TypeError('a streamed body is made of Uint8Arrays');
      if (!output.write(value)) await output.drained();
    }
  } catch (error) {
    void reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  if (signal.aborted) cancel();
}

/** Also those of another realm: a frame's, a test runner's. */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}
