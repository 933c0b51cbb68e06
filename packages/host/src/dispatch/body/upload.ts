import type { ClientRequest } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, IncomingBytes } from '@openchambery/tunnel';
import { releasePayload } from '@openchambery/tunnel/node';

/** What is known of a request's body before its first byte goes out. */
export type Upload =
  | { readonly kind: 'empty' }
  /** All of it. */
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** `next` is the read that is under way; `first` came before it. */
  | {
      readonly kind: 'streaming';
      readonly first: Uint8Array | undefined;
      readonly next: Promise<Uint8Array | undefined>;
    };

/**
 * How long a request waits for its body to begin or to end, in ms. Clients send a short request in one go, so only those
 * that upload something they do not have yet wait it out.
 */
const BEGINNING_MS = 250;

/** A method whose request has a body only as an exception (RFC 9110 section 9.3.1): what never begins is not waited for. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Looks at how a body begins, because HTTP/1.1 has to say in the head whether there is one. Rejects with a `StreamError`
 * when the stream breaks.
 */
export async function beginUpload(body: IncomingBytes, method: string, clock: Clock): Promise<Upload> {
  const next = body.read();
  const first = await soon(next, clock);
  if (first === 'late') {
    if (!BODILESS.has(method.toUpperCase())) {
      return { kind: 'streaming', first: undefined, next };
    }
    // The stream's signal tells when it breaks.
    next.catch(() => undefined);
    body.discard();
    return { kind: 'empty' };
  }
  if (first === undefined) {
    return { kind: 'empty' };
  }
  const second = body.read();
  // A small body's end is here already: a length is understood by more programs than chunks are.
  const end = await Promise.race([second, nextTurn('late' as const)]);
  return end === undefined ? { kind: 'whole', bytes: first } : { kind: 'streaming', first, next: second };
}

async function soon<Value>(promise: Promise<Value>, clock: Clock): Promise<Value | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = clock.setTimer(() => late.resolve('late'), BEGINNING_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    timer.cancel();
  }
}

/** How a body is framed (RFC 9112 section 6). */
export function framingHeaders(upload: Upload, method: string): Record<string, string> {
  switch (upload.kind) {
    case 'streaming':
      return { 'transfer-encoding': 'chunked' };
    case 'whole':
      return { 'content-length': String(upload.bytes.length) };
    case 'empty':
      // RFC 9110 section 8.6: where a body has a meaning, its absence is said.
      return /^(?:post|put|patch)$/i.test(method) ? { 'content-length': '0' } : {};
  }
}

/**
 * Sends a body as fast as the origin takes it, and ends the request with it. Returns early when the request is destroyed.
 * Rejects with a `StreamError` when the stream breaks. @param onProgress called for each chunk that was sent
 */
export async function sendUpload(
  upload: Upload,
  request: ClientRequest,
  { body, onProgress }: { readonly body: IncomingBytes; readonly onProgress: () => void },
): Promise<void> {
  if (upload.kind !== 'streaming') {
    request.end(upload.kind === 'whole' ? upload.bytes : undefined);
    return;
  }
  request.flushHeaders();
  let chunk = upload.first ?? (await upload.next);
  let next = upload.first === undefined ? undefined : upload.next;
  while (chunk !== undefined && !request.destroyed) {
    if (!write(request, chunk)) {
      await drainOrClose(request);
    }
    onProgress();
    chunk = await (next ?? body.read());
    next = undefined;
  }
  if (!request.destroyed) {
    request.end();
  }
}

function write(request: ClientRequest, chunk: Uint8Array): boolean {
  return request.write(chunk, (error) => {
    // After a failure somebody may still hold it.
    if (!error) {
      releasePayload(chunk);
    }
  });
}

function drainOrClose(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done);
      request.off('close', done);
      resolve();
    };
    request.on('drain', done);
    request.on('close', done);
    if (request.destroyed) {
      done();
    }
  });
}
