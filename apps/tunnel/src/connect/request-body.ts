import type { IncomingMessage } from 'node:http';

/** How much of an upload may wait in this process, in bytes, beside what the tunnel holds. */
const HIGH_WATER_BYTES = 65_536;

/** The body of a local request. */
export interface RequestBody {
  /** Stops reading its socket while nobody takes. */
  readonly stream: ReadableStream<Uint8Array>;
  /** Nobody wants the rest: it is read and dropped, so that the connection can carry the answer and the next request. */
  drop(): void;
}

/** The body of a local request; `undefined` when it has none. */
export function requestBody(request: IncomingMessage): RequestBody | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  // RFC 9112 section 6.3: without either there is no body.
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return undefined;
  let state: 'open' | 'over' = 'open';
  const drop = (): void => {
    state = 'over';
    request.resume();
  };
  const stream = new ReadableStream<Uint8Array>(
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
      cancel: drop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
  );
  return { stream, drop };
}
