import type { IncomingMessage, ServerResponse } from 'node:http';

/** Says what reached the program. */
export function answerHello(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ message: 'Hello from home', method, url, headers }, null, 2)}\n`);
}
