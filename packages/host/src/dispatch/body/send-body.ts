import { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import type { OutgoingBytes } from '@openchambery/tunnel';
import { release } from '@openchambery/tunnel/node';

/**
 * Sends a body through the tunnel as fast as the tunnel takes it, and ends `output` with it. What has come already is sent
 * before this returns, so that a short answer travels in one message with its head. Rejects when the body breaks before
 * its end.
 */
export async function sendBody(body: Readable, output: OutgoingBytes): Promise<void> {
  const chunk: Uint8Array | null = body.read();
  if (chunk !== null) {
    write(body, chunk, output);
  }
  if (!isRead(body)) {
    await sendRest(body, output);
  }
  output.end();
}

/** What comes from `node:http` belongs to whoever reads it; what a handler gave may be needed again. */
function write(body: Readable, chunk: Uint8Array, output: OutgoingBytes): boolean {
  return body instanceof IncomingMessage ? output.write(chunk, () => release(chunk)) : output.write(chunk);
}

/** Whether nothing more will come: a response of `node:http` knows before it emits `end`. */
function isRead(body: Readable): boolean {
  return body instanceof IncomingMessage && body.complete && body.readableLength === 0;
}

function sendRest(body: Readable, output: OutgoingBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(body, { writable: false }, (error) => {
      if (error === undefined || error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
    body.on('data', (chunk: Uint8Array) => {
      if (!write(body, chunk, output)) {
        body.pause();
        void output.drained().then(() => body.resume());
      }
    });
  });
}
