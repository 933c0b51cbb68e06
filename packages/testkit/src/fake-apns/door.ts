import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** How new connections are met: `refuse` does not listen, `hang` accepts TCP and stays silent, `reset` accepts and resets. */
export type AcceptMode = 'open' | 'refuse' | 'hang' | 'reset';

/** Sockets that hang, at most; older ones are closed for newer ones. */
const MAX_HANGING = 1000;

/** The listening socket. Closing it leaves connections alone, which no server of HTTP/2 does. */
export class Door {
  readonly #host: string;
  readonly #enter: (socket: Socket) => void;
  readonly #hanging = new Set<Socket>();
  #server: Server | undefined;
  #mode: AcceptMode = 'open';
  #port: number;

  constructor(host: string, port: number, enter: (socket: Socket) => void) {
    this.#host = host;
    this.#port = port;
    this.#enter = enter;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, on the same port as before if there was one. */
  async listen(): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => this.#meet(socket));
    server.listen({ host: this.#host, port: this.#port });
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async setMode(mode: AcceptMode): Promise<void> {
    this.#mode = mode;
    if (mode === 'refuse') this.#stop();
    else if (this.#server === undefined) await this.listen();
  }

  close(): void {
    this.#stop();
    for (const socket of this.#hanging) socket.destroy();
  }

  #stop(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  #meet(socket: Socket): void {
    if (this.#mode === 'open') this.#enter(socket);
    else if (this.#mode === 'reset') socket.resetAndDestroy();
    else this.#hang(socket);
  }

  #hang(socket: Socket): void {
    this.#hanging.add(socket);
    // A client that gives up is what the mode is for.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#hanging.delete(socket));
    const [oldest] = this.#hanging;
    if (this.#hanging.size > MAX_HANGING) oldest?.destroy();
  }
}
