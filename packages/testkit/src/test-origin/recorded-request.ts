import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What reached the origin. */
export interface OriginRequest {
  readonly kind: 'http' | 'websocket';
  readonly method: string;
  /** The request target as it came, with its query. */
  readonly url: string;
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The connection's port on the other side: equal for requests on one keep-alive connection. */
  readonly remotePort: number;
}

export function recordRequest(request: IncomingMessage, kind: OriginRequest['kind']): OriginRequest {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  return {
    kind,
    method: request.method ?? '',
    url,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? '' : url.slice(mark + 1),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    remotePort: request.socket.remotePort ?? 0,
  };
}
