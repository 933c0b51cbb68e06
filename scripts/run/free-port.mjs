// A port for a daemon that has to be told one.
import { createServer } from 'node:net';

/** A port of loopback that was free a moment ago; the commands take no 0. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
