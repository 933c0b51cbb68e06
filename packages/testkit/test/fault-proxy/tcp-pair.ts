import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { startFaultProxy } from '../../src/fault-proxy/fault-proxy.ts';
import type { FaultProxy, FaultProxyOptions } from '../../src/fault-proxy/fault-proxy.ts';
import type { ProxiedConnection } from '../../src/fault-proxy/proxied-connection.ts';
import { Inbox } from '../../src/inbox.ts';
import { withTimeout } from '../../src/wait.ts';

/** How a party's socket ended: `fin` is an orderly end, `rst` an error. */
export type Ended = 'fin' | 'rst';

/** One end of a TCP connection whose events can be awaited. */
export class Party {
  readonly socket: Socket;
  /** Everything that arrived. */
  text = '';
  readonly ended: Promise<Ended>;
  #waiters: { readonly text: string; readonly resolve: () => void }[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#hear(bytes));
    this.ended = new Promise((resolve) => {
      socket.once('end', () => resolve('fin'));
      socket.once('error', () => resolve('rst'));
    });
  }

  /** Resolves when all that arrived is `text`. */
  heard(text: string): Promise<void> {
    if (this.text === text) return Promise.resolve();
    const heard = new Promise<void>((resolve) => this.#waiters.push({ text, resolve }));
    return withTimeout(heard, () => `waited for "${text}", heard "${this.text}"`);
  }

  /** How the other side left. */
  end(): Promise<Ended> {
    return withTimeout(this.ended, () => `nobody left; heard ${this.text.length} bytes`);
  }

  #hear(bytes: Buffer): void {
    this.text += bytes.toString('latin1');
    for (const { text, resolve } of this.#waiters) if (text === this.text) resolve();
    this.#waiters = this.#waiters.filter(({ text }) => text !== this.text);
  }
}

/** A target that listens, a proxy in front of it, and clients; all gone after the test. */
export interface World {
  readonly proxy: FaultProxy;
  readonly server: Server;
  readonly sockets: Inbox<Socket>;
  /** A client whose connection the kernel has accepted. */
  dial(): Promise<Socket>;
}

/** A connection with both ends and what is between them. */
export interface Triple {
  readonly client: Party;
  readonly target: Party;
  readonly link: ProxiedConnection;
}

export async function makeWorld(options: Partial<FaultProxyOptions> = {}): Promise<World> {
  const sockets = new Inbox<Socket>('sockets of the target', ({ remotePort }) => `from ${remotePort}`);
  const all = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    all.add(socket);
    socket.on('error', () => 'the parties look at what matters to them');
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port }, ...options });
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of all) socket.destroy();
    server.close();
  });
  const dial = async (): Promise<Socket> => {
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    all.add(socket);
    socket.on('error', () => 'the parties look at what matters to them');
    await once(socket, 'connect');
    return socket;
  };
  return { proxy, server, sockets, dial };
}

export async function openTriple(world: World): Promise<Triple> {
  const client = new Party(await world.dial());
  const link = await world.proxy.connection();
  const target = new Party(await world.sockets.take());
  return { client, target, link };
}
