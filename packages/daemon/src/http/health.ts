import type { IncomingMessage, ServerResponse } from 'node:http';

const OK = '{"status":"ok"}';
const DRAINING = '{"status":"draining"}';

/** Answers a plain HTTP request: the two health paths, and 404 for everything else. Never throws. */
export function answerPlainRequest(
  request: IncomingMessage,
  response: ServerResponse,
  readiness: 'ready' | 'draining',
): void {
  response.setHeader('cache-control', 'no-store');
  const target = request.url ?? '';
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && path === '/healthz') return answerJson(response, 200, OK);
  if (isRead && path === '/readyz') {
    return readiness === 'ready' ? answerJson(response, 200, OK) : answerJson(response, 503, DRAINING);
  }
  response.writeHead(404, { 'content-length': 0 }).end();
}

/** Node leaves the body out of an answer to HEAD by itself. */
function answerJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}
