import type { RawRequest } from '../relay-client.ts';
import { type BodySource, bytesSource, streamSource } from './body-source.ts';
import type { Call } from './exchange.ts';
import { isToken } from './method.ts';

/** Reads the argument of `request`. Throws a TypeError for what could not stand in a request line. */
export function readRawRequest(request: RawRequest): Omit<Call, 'lossError'> {
  const { method, path, query, headers, body, signal } = request;
  if (!isToken(method)) throw new TypeError(`${JSON.stringify(method)} is not an HTTP method`);
  if (!path.startsWith('/')) throw new TypeError('the path of a request begins with /');
  return { head: { method, path, query, headers }, body: sourceOf(body), signal };
}

function sourceOf(body: RawRequest['body']): BodySource | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array ? bytesSource(body) : streamSource(body);
}
