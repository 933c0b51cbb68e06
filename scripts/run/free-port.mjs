// A port for a daemon that has to be told one.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below all that systems give away by themselves (from 32768 up on Linux, 49152 on others): what was free a moment ago
 * is not taken by somebody who asks for any port, or connects to one.
 */
const LOWEST = 16_384;
const HIGHEST = 32_767;

/** A port of loopback that was free a moment ago; the commands take no 0. */
export async function freePort() {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
