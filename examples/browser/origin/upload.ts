import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Counts and hashes what is sent, and keeps nothing of it. */
export async function answerUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') }));
}
