import type { IncomingBytes } from '@openchambery/tunnel';

/** The body of a request as a web stream that is read from the tunnel no sooner than from it. */
export function requestBody(body: IncomingBytes): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await body.read();
        if (chunk === undefined) {
          controller.close();
        } else {
          controller.enqueue(chunk);
        }
      },
      cancel() {
        body.discard();
      },
    },
    { highWaterMark: 0 },
  );
}
