import type { IncomingMessage } from 'node:http';

/** The length that a request announces for its body, in bytes; `undefined` without one. Node has checked the form. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Whether a request comes with a body (RFC 9112 section 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (announcedBytes(request) ?? 0) > 0;
}
