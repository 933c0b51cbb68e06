/** A request's body, and how often it can be had. */
export interface BodySource {
  /** What the Fetch API would say it is. */
  readonly contentType: string | undefined;
  /** Whether `open` may be called again, and gives the same. */
  readonly isReplayable: boolean;
  /** The body from its start. Throws a TypeError when it was read already. */
  open(): Uint8Array | ReadableStream<Uint8Array>;
  /** The same content for another request, whose `contentType` may differ; `undefined` when it is used up. */
  renew(): BodySource | undefined;
}

/** Bytes, which must not be changed any more. */
export function bytesSource(bytes: Uint8Array, contentType?: string): BodySource {
  const source: BodySource = { contentType, isReplayable: true, open: () => bytes, renew: () => source };
  return source;
}

/** A stream, which can be read once. */
export function streamSource(stream: ReadableStream<Uint8Array>, contentType?: string): BodySource {
  return { contentType, isReplayable: false, open: () => stream, renew: () => undefined };
}

/**
 * Whatever the Fetch API takes for a body, as it is now: later changes by the program make no difference. Bytes and texts
 * go the short way; the rest is made a stream by `Response`, which knows every kind that the platform knows. Throws a
 * TypeError for a stream that was read or is being read.
 */
export function extractBody(body: NonNullable<RequestInit['body']>): BodySource {
  if (typeof body === 'string') return bytesSource(encode(body), 'text/plain;charset=UTF-8');
  if (body instanceof URLSearchParams) {
    return bytesSource(encode(body.toString()), 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  if (body instanceof ArrayBuffer) return bytesSource(new Uint8Array(body.slice(0)));
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body;
    return bytesSource(new Uint8Array(buffer, byteOffset, byteLength).slice());
  }
  if (body instanceof Blob) return blobSource(body);
  if (body instanceof FormData) return formSource(copyForm(body));
  const response = new Response(body);
  return streamSource(streamOf(response), typeOf(response));
}

function blobSource(blob: Blob): BodySource {
  const source: BodySource = {
    contentType: blob.type === '' ? undefined : blob.type,
    isReplayable: true,
    open: () => streamOf(new Response(blob)),
    renew: () => source,
  };
  return source;
}

/** A form has another boundary each time it is made a body, which its type names: one type, one body. */
function formSource(form: FormData): BodySource {
  const response = new Response(form);
  return {
    contentType: typeOf(response),
    isReplayable: false,
    open: () => streamOf(response),
    renew: () => formSource(form),
  };
}

function copyForm(form: FormData): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value);
  return copy;
}

function typeOf(response: Response): string | undefined {
  return response.headers.get('content-type') ?? undefined;
}

function streamOf(response: Response): ReadableStream<Uint8Array> {
  const { body } = response;
  if (body === null) throw new TypeError('a body that can be read is needed');
  return body as ReadableStream<Uint8Array>;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
