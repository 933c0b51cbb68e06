import { FRAME_HEADER_BYTES } from '@openchambery/tunnel';
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
  const failure: BodyFailure = {};
  const body = hasBody ? streamOf(raw, failure) : null;
  return describe(new Response(body, init), { ...origin, failure });
}

/** What broke a body, once something has. */
interface BodyFailure {
  happened?: { readonly error: unknown };
}

/** What only `fetch` itself can say of a response. */
interface Description extends Origin {
  readonly failure: BodyFailure;
}

/**
 * Answers whose body nobody can read any more: whoever looks at a status alone often leaves the rest, and unread bytes
 * would sooner or later hold everything up.
 */
const forgotten = new FinalizationRegistry((raw: RawResponse) => raw.abort('nobody reads the answer'));

/** Read no faster than the program reads; unread bytes wait in the tunnel, which stops the network. */
function streamOf(raw: RawResponse, failure: BodyFailure): ReadableStream<Uint8Array> {
  const source = {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        const chunk = await raw.body.read();
        if (chunk === undefined) controller.close();
        else controller.enqueue(onOwnBuffer(chunk));
      } catch (error) {
        failure.happened = { error };
        throw error;
      }
    },
    cancel: () => raw.abort('the rest of the answer is not wanted'),
  };
  // Not the stream: what a program holds of it may be a wrapper that goes and comes back while the stream is being read,
  // as in Chromium. The source stays as long as anything can pull from it.
  forgotten.register(source, raw);
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** What stands in front of a payload that came alone: the kind of the plaintext, and the frame's header. */
const MAX_HEAD_BYTES = 1 + FRAME_HEADER_BYTES;

/**
 * A program may do with a chunk what it likes, such as give its buffer to a worker: that must not take away what came with
 * it for others.
 */
function onOwnBuffer(chunk: Uint8Array): Uint8Array {
  return chunk.buffer.byteLength - chunk.length > MAX_HEAD_BYTES ? new Uint8Array(chunk) : chunk;
}

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Says what only `fetch` itself can say of a response, and a copy says too. */
function describe(response: Response, description: Description): Response {
  const url = new URL(description.url);
  url.hash = '';
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    url: { value: url.href, enumerable: true },
    redirected: { value: description.isRedirected, enumerable: true },
    type: { value: 'basic', enumerable: true },
    clone: { value: () => describe(clone(), description) },
    ...readersThatSayWhy(response, description.failure),
  });
}

/** Chromium says no more than "Failed to fetch" when a stream of the page's own breaks under one of its readers. */
function readersThatSayWhy(response: Response, failure: BodyFailure): PropertyDescriptorMap {
  const readers: PropertyDescriptorMap = {};
  for (const name of READERS) {
    // Not every platform has them all.
    const read = response[name] as (() => Promise<unknown>) | undefined;
    if (read === undefined) continue;
    const value = async (): Promise<unknown> => {
      try {
        return await read.call(response);
      } catch (error) {
        throw failure.happened === undefined ? error : failure.happened.error;
      }
    };
    readers[name] = { value, configurable: true };
  }
  return readers;
}
