import { resolveWithin } from '../base-url.ts';
import { type BodySource, extractBody } from './body-source.ts';
import { normaliseMethod } from './method.ts';

/** What a call of `fetch` asks for. */
export interface FetchArguments {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: BodySource | undefined;
  readonly redirect: NonNullable<RequestInit['redirect']>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads the arguments of `fetch`. Throws a TypeError as `fetch` does. What a tunnel has no use for is taken and ignored:
 * `cache`, `credentials`, `duplex`, `integrity`, `keepalive`, `mode`, `priority`, `referrer`.
 */
export async function readFetchArguments(
  base: URL,
  input: string | URL | Request,
  init: RequestInit,
): Promise<FetchArguments> {
  const request = isRequest(input) ? input : undefined;
  const url = resolveWithin(base, isRequest(input) ? input.url : input);
  if (url === undefined) throw new TypeError(`a URL within ${base.href} is needed`);
  const method = normaliseMethod(init.method ?? request?.method ?? 'GET');
  const headers = new Headers(init.headers ?? request?.headers);
  const redirect = init.redirect ?? request?.redirect ?? 'follow';
  if (!['follow', 'manual', 'error'].includes(redirect)) {
    throw new TypeError(`redirect is follow, manual or error, got ${JSON.stringify(redirect)}`);
  }
  const signal = (init.signal === undefined ? request?.signal : init.signal) ?? undefined;
  signal?.throwIfAborted();
  const isBodiless = method === 'GET' || method === 'HEAD';
  const given = init.body ?? undefined;
  if (isBodiless && given !== undefined) throw new TypeError(`a ${method} request has no body`);
  const body = given === undefined ? await bodyOf(isBodiless ? undefined : request) : extractBody(given);
  if (body?.contentType !== undefined && !headers.has('content-type')) {
    headers.set('content-type', body.contentType);
  }
  if (!headers.has('accept')) headers.set('accept', '*/*');
  return { url, method, headers, body, redirect, signal };
}

async function bodyOf(request: Request | undefined): Promise<BodySource | undefined> {
  if (request === undefined) return undefined;
  if (request.bodyUsed) throw new TypeError('the body of the request was read already');
  if (request.body === null) return undefined;
  // Firefox has no stream of a request's body.
  const hasStream = (request.body as unknown) !== undefined;
  if (hasStream) return extractBody(request.body);
  const blob = await request.blob();
  return blob.size === 0 ? undefined : extractBody(blob);
}

/** Also one of another realm, or of another implementation. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'headers' in input && 'method' in input;
}
