import type { RawResponse } from '../relay-client.ts';
import { fromTunnelHeaders } from './headers.ts';

/** Statuses that a `Response` has no body with (Fetch, section 2.2.3). */
const NULL_BODY = new Set([204, 205, 304]);

/** Where an answer came from. */
export interface Origin {
  readonly url: URL;
  readonly method: string;
  readonly isRedirected: boolean;
}

/** An answer as the Fetch API has it. */
export function toResponse(raw: RawResponse, origin: Origin): Response {
  const hasBody = origin.method !== 'HEAD' && !NULL_BODY.has(raw.status);
  if (!hasBody) raw.body.discard();
  const init = { status: raw.status, headers: fromTunnelHeaders(raw.headers) };
  return describe(new Response(hasBody ? streamOf(raw) : null, init), origin);
}

/**
 * Answers whose body nobody can read any more: whoever looks at a status alone often leaves the rest, and unread bytes
 * would sooner or later hold everything up.
 */
const forgotten = new FinalizationRegistry((raw: RawResponse) => raw.abort('nobody reads the answer'));

/** Read no faster than the program reads; unread bytes wait in the tunnel, which stops the network. */
function streamOf(raw: RawResponse): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = await raw.body.read();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => raw.abort('the rest of the answer is not wanted'),
    },
    { highWaterMark: 0 },
  );
  forgotten.register(stream, raw);
  return stream;
}

/** Says what only `fetch` itself can say of a response, and a copy says too. */
function describe(response: Response, origin: Origin): Response {
  const url = new URL(origin.url);
  url.hash = '';
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    url: { value: url.href, enumerable: true },
    redirected: { value: origin.isRedirected, enumerable: true },
    type: { value: 'basic', enumerable: true },
    clone: { value: () => describe(clone(), origin) },
  });
}
