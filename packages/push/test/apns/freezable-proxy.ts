import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP on to a port of loopback, until it is told to swallow everything: what a NAT does that has forgotten. */
export class FreezableProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(targetPort: number): Promise<FreezableProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FreezableProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (inward) => {
      const outward = connect(targetPort, '127.0.0.1');
      proxy.#join(inward, outward);
      proxy.#join(outward, inward);
    });
    return proxy;
  }

  /** From now on nothing gets through on the connections there are. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.resume();
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
