import { MAX_PAYLOAD_BYTES } from '../limits.ts';
import { isToken, parseHeaders } from './headers.ts';
import { decodeJsonObject, encodeUtf8, type JsonObject } from './json.ts';
import type { HttpRequestHead, HttpResponseHead, TunnelHeaders } from './payloads.ts';

/** What a request line can carry: no space, no control character. `?` and `#` end a path, `#` ends a query. */
const PATH = /^\/[^\0- #?\u007f\u0100-\uffff]*$/;
const QUERY = /^[^\0- #\u007f\u0100-\uffff]*$/;

/** Writes a HttpRequest; `undefined` when it does not fit a frame. */
export function formatHttpRequest(head: HttpRequestHead): Uint8Array<ArrayBuffer> | undefined {
  const { method, path, query, headers } = head;
  return encodePayload({ method, path, query, headers });
}

/** Reads a HttpRequest; `undefined` when something in it could not stand in an HTTP request. Never throws. */
export function parseHttpRequest(payload: Uint8Array): HttpRequestHead | undefined {
  const value = decodePayload(payload);
  if (value === undefined) return undefined;
  const target = parseTarget(value);
  const headers = parseHeaders(value['headers'] ?? {});
  const method = value['method'];
  if (typeof method !== 'string' || !isToken(method)) return undefined;
  if (target === undefined || headers === undefined) return undefined;
  return { method, ...target, headers };
}

/** Writes a HttpResponse; `undefined` when it does not fit a frame. */
export function formatHttpResponse(head: HttpResponseHead): Uint8Array<ArrayBuffer> | undefined {
  return encodePayload({ status: head.status, headers: head.headers });
}

/** Reads a HttpResponse; `undefined` when something in it could not stand in a final HTTP response. Never throws. */
export function parseHttpResponse(payload: Uint8Array): HttpResponseHead | undefined {
  const value = decodePayload(payload);
  if (value === undefined) return undefined;
  const headers = parseHeaders(value['headers'] ?? {});
  const status = value['status'];
  if (headers === undefined || !isFinalStatus(status)) return undefined;
  return { status, headers };
}

/** Reads the `path` and `query` of a payload; a query that is missing is empty. */
export function parseTarget(
  value: JsonObject,
): { readonly path: string; readonly query: string } | undefined {
  const path = value['path'];
  const query = value['query'] ?? '';
  if (typeof path !== 'string' || !PATH.test(path)) return undefined;
  if (typeof query !== 'string' || !QUERY.test(query)) return undefined;
  return { path, query };
}

/** Writes a JSON payload; `undefined` when it does not fit a frame. */
export function encodePayload(value: object): Uint8Array<ArrayBuffer> | undefined {
  const payload = encodeUtf8(JSON.stringify(value));
  return payload.length > MAX_PAYLOAD_BYTES ? undefined : payload;
}

/** Reads a JSON payload: an object, or `undefined`. */
export function decodePayload(payload: Uint8Array): JsonObject | undefined {
  return payload.length > MAX_PAYLOAD_BYTES ? undefined : decodeJsonObject(payload);
}

/** Reads `headers` where they may be missing. */
export function parseOptionalHeaders(
  value: JsonObject,
): { readonly headers?: TunnelHeaders | undefined } | undefined {
  if ((value['headers'] ?? undefined) === undefined) return {};
  const headers = parseHeaders(value['headers']);
  return headers === undefined ? undefined : { headers };
}

/** A response that ends the exchange; 1xx ones do not travel (RFC 9110 section 15). */
function isFinalStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
}
