import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { checkHandshake, takeOver } from '../src/index.ts';
import { LibraryPeer } from './library-peer.ts';
import type { FuzzPeer } from './peer.ts';
import type { CasePlan } from './plan.ts';
import type { Progress } from './progress.ts';
import { RawPeer } from './raw-peer.ts';
import type { FuzzRelay } from './relay.ts';

/** One listener for all cases that go over real sockets; a path says which case and side a connection is for. */
export class TcpDoor {
  readonly #server: Server;
  readonly #expected = new Map<string, { readonly relay: FuzzRelay; readonly side: 0 | 1 }>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('upgrade', (request, socket, head) => {
      const path = request.url ?? '';
      const expected = this.#expected.get(path);
      const check = checkHandshake(request);
      if (expected === undefined || !check.ok) throw new Error(`nobody expects ${path}`);
      this.#expected.delete(path);
      const { relay, side } = expected;
      const transport = takeOver(socket as Socket, relay.context.readBuffer);
      relay.accept(side, { transport, head: Buffer.from(head), key: check.key });
    });
  }

  static async open(): Promise<TcpDoor> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpDoor(server);
  }

  /** Both peers of a case, on their way in. */
  open(plan: CasePlan, progress: Progress, relay: FuzzRelay): readonly [FuzzPeer, FuzzPeer] {
    const open = (side: 0 | 1): FuzzPeer => {
      const path = `/${plan.seed}/${side}`;
      this.#expected.set(path, { relay, side });
      const { port } = this.#server.address() as AddressInfo;
      const setting = {
        plan: plan.sides[side],
        progress,
        connect: () => connect({ port, host: '127.0.0.1', noDelay: true }),
        path,
      };
      return plan.sides[side].kind === 'ws' ? new LibraryPeer(setting) : new RawPeer(setting);
    };
    return [open(0), open(1)];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
