import type { IncomingMessage, ServerResponse } from 'node:http';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hello from home</title>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 30rem; padding: 0 1rem">
<h1>Hello from home</h1>
<p>This page was served by a program that listens on a loopback address only.</p>
<p><img src="/api/image" alt="Drawn by the program at this moment" style="max-width: 100%"></p>
</body>
</html>
`;

/** A page for those who come with a browser. */
export function answerPage(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(PAGE);
}
