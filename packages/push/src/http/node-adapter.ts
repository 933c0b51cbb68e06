import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '@openchambery/daemon';
import { getRequestListener } from '@hono/node-server';
import { routeOf } from '../request/route.ts';
import { type AppFetch, INTERNAL } from './in-process.ts';
import type { PushRequest } from './push-request.ts';

/** Whether a request is for the push relay; everything else is answered by the listener. */
export function isPushRequest({ method = '', url = '' }: IncomingMessage): boolean {
  return routeOf(method, url) !== undefined;
}

/** Stands in the URL of every request; nobody looks. */
const HOST = 'push.invalid';

/** Answers requests that Node has taken. `onFault` hears of what even the app did not expect. */
export function createNodeHandler(
  fetch: AppFetch,
  onFault: (error: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    (request, { incoming }) => fetch(request, { push: fromNode(incoming as IncomingMessage) }),
    {
      overrideGlobalObjects: false,
      // What is left of a body is the listener's affair, which bounds it.
      autoCleanupIncoming: false,
      errorHandler: (error) => {
        onFault(error);
        const { status, headers, body } = INTERNAL;
        return new Response(body, { status, headers });
      },
    },
  );
  return (request, response) => {
    // The library makes a URL of these two and fails where a stranger sent none; only the path decides here.
    request.headers.host = HOST;
    request.url = routeOf(request.method ?? '', request.url ?? '') ?? '/';
    listener(request, response).catch(onFault);
  };
}

function fromNode(incoming: IncomingMessage): PushRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    peerAddress: incoming.socket.remoteAddress,
    forwardedFor: incoming.headers['x-forwarded-for'],
    readBody: (maxBytes) => readBody(incoming, maxBytes),
  };
}
