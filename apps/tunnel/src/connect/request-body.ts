import type { IncomingMessage } from 'node:http';

/** How much of an upload may wait in this process, in bytes, beside what the tunnel holds. */
const HIGH_WATER_BYTES = 65_536;

/** The body of a local request as a stream that stops reading its socket when nobody takes; `undefined` without one. */
export function requestBody(request: IncomingMessage): ReadableStream<Uint8Array> | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  // RFC 9112 section 6.3: without either there is no body.
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return undefined;
  let state: 'open' | 'over' = 'open';
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        request.on('data', (chunk: Buffer) => {
          if (state === 'over') return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) request.pause();
        });
        request.once('end', () => {
          if (state === 'open') controller.close();
          state = 'over';
        });
        request.once('close', () => {
          if (state === 'open') controller.error(new Error('the local program broke off its request'));
          state = 'over';
        });
        request.on('error', () => {
          // 'close' follows, and says it all.
        });
      },
      pull: () => void request.resume(),
      cancel: () => {
        // The origin has answered without it. What still comes is read and dropped, so that the answer can be read.
        state = 'over';
        request.resume();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
  );
}
