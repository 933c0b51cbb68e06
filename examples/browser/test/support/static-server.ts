import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Keep } from '../../../../apps/tunnel/test/e2e/support/keep.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves a folder as any web server would; resolves with its URL, which ends in a slash. */
export async function serveFolder(folder: string, keep: Keep): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    void answer(response, join(folder, path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  keep(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function answer(response: ServerResponse, file: string): Promise<void> {
  try {
    const content = await readFile(file);
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(content);
  } catch {
    // There is no such file.
    response.writeHead(404).end();
  }
}
