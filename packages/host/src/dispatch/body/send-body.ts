import { finished, type Readable } from 'node:stream';
import type { OutgoingBytes } from '@openchambery/tunnel';

/**
 * Sends a body through the tunnel as fast as the tunnel takes it. Rejects when it breaks before its end; does not end
 * `output`.
 */
export function sendBody(body: Readable, output: OutgoingBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(body, { writable: false }, (error) => {
      if (error === undefined || error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
    body.on('data', (chunk: Uint8Array) => {
      if (!output.write(chunk)) {
        body.pause();
        void output.drained().then(() => body.resume());
      }
    });
  });
}
