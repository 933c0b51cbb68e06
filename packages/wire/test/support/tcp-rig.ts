import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { RawSocket } from '@openchambery/testkit';
import { splice, WireSocket } from '../../src/index.ts';
import type { BudgetOwner } from '../../src/index.ts';
import { clientFrame } from './client-frames.ts';
import type { ClientFrame } from './client-frames.ts';
import { tcpConnection } from './connection.ts';
import { decodeStream } from './naive-decoder.ts';
import type { DecodedStream } from './naive-decoder.ts';
import { Recorder } from './test-context.ts';
import type { TestContext } from './test-context.ts';

/** A listener on the loopback whose connections can be had from both ends. */
export class TcpRig {
  readonly #server: Server;
  readonly #accepted: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#accepted.push(socket));
  }

  static async open(): Promise<TcpRig> {
    // As http servers have it: they leave it to the upgraded side to end its half.
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpRig(server);
  }

  /** Both ends of a fresh connection. */
  async connect(): Promise<{ readonly near: Socket; readonly far: RawSocket }> {
    const far = await RawSocket.connect({ port: (this.#server.address() as AddressInfo).port });
    await until('the connection is accepted', () => this.#accepted.length > 0);
    return { near: this.#accepted.pop() as Socket, far };
  }

  close(): void {
    this.#server.close();
  }
}

/** A peer over TCP, with the server's end of its WebSocket. */
export class TcpLeg {
  readonly far: RawSocket;
  readonly heard: Recorder = new Recorder();
  readonly wire: WireSocket;
  readonly #chunks: Buffer[] = [];

  constructor(test: TestContext, ends: { near: Socket; far: RawSocket }, owner: BudgetOwner) {
    this.far = ends.far;
    this.far.discarding = true;
    this.far.socket.on('data', (chunk) => this.#chunks.push(chunk));
    this.wire = new WireSocket(tcpConnection(ends.near, test), test.context, { owner, listener: this.heard });
  }

  send(...frames: ClientFrame[]): Promise<void> {
    return this.far.write(Buffer.concat(frames.map(clientFrame)));
  }

  /** What has arrived, behind the answer to the handshake. */
  received(): DecodedStream {
    const bytes = Buffer.concat(this.#chunks);
    const start = bytes.indexOf('\r\n\r\n') + 4;
    return decodeStream(bytes.subarray(start < 4 ? bytes.length : start), {
      masked: false,
      shortestLengths: true,
    });
  }
}

export interface TcpPair {
  readonly source: TcpLeg;
  readonly target: TcpLeg;
}

/** A spliced pair over two TCP connections; when one leg ends, the other is closed as an owner would. */
export async function openTcpPair(rig: TcpRig, test: TestContext): Promise<TcpPair> {
  const owner = test.context.budget.createOwner();
  const source = new TcpLeg(test, await rig.connect(), owner);
  const target = new TcpLeg(test, await rig.connect(), owner);
  splice(source.wire, target.wire);
  for (const [leg, other] of [
    [source, target],
    [target, source],
  ] as const) {
    leg.heard.afterEnd = (cause) =>
      other.wire.close(cause.kind === 'closed' ? 1000 : 1012, 'the other leg is gone');
    leg.heard.afterStall = () => {
      leg.wire.close(1012, 'stalled');
      other.wire.close(1012, 'the other leg stalled');
    };
    leg.wire.start(Buffer.alloc(0));
  }
  return { source, target };
}

/** Lets the event loop turn until `holds`; fails after ten seconds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`after 10 s: not that ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
