import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP connection to a service that can be cut so that neither end notices. */
export interface Cable {
  /** `https://host:port` to use in place of the service's own. */
  readonly url: string;
  /** What runs over the cable now goes nowhere from now on; connections made later work. */
  cut(): void;
}

/** Lays a cable to the service at `url` until the test has finished. */
export async function layCable(url: string, onTestFinished: (done: () => void) => void): Promise<Cable> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('data', (chunk) => other.write(chunk));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.removeAllListeners('data').resume();
    },
  };
}
