import { randomBytes } from 'node:crypto';
import { clientQuery, makeIdentity, signedQuery } from '@openchambery/testkit';
import type { Peer } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  connectHost,
  connectPair,
  expectClosed,
  newHost,
  refusal,
  refusalAt,
} from '../../e2e/support/sockets.ts';
import type { Front } from '../support/front.ts';

const MAX_FRAME_BYTES = 131_072;

/** What goes through a tunnel, and how it ends. */
export function describeTunnels(front: Front): void {
  describe('messages', () => {
    it.each([0, 1, 125, 126, 65_535, 65_536, MAX_FRAME_BYTES])(
      'of %d bytes arrive unchanged in both directions',
      async (size) => {
        const { client, data } = await connectPair(front.relay, await connectHost(front.relay));
        for (const message of [randomBytes(size), 'x'.repeat(size)]) {
          await expectForwarded(client, data, message);
          await expectForwarded(data, client, message);
        }
      },
    );

    it.each(['client', 'data'] as const)(
      'one byte too long from %s ends in 1009 and says why',
      async (leg) => {
        const pair = await connectPair(front.relay, await connectHost(front.relay));
        void pair[leg].send(Buffer.alloc(MAX_FRAME_BYTES + 1));
        await expectClosed(pair[leg], 1009);
        await expectClosed(leg === 'client' ? pair.data : pair.client, 1012);
      },
    );

    it('keep their order in a burst', async () => {
      const { client, data } = await connectPair(front.relay, await connectHost(front.relay));
      const messages = Array.from({ length: 300 }, (_, i) =>
        Buffer.alloc([1, 125, 126, 20_000][i % 4] ?? 0, i),
      );
      for (const [from, to] of [
        [client, data],
        [data, client],
      ] as const) {
        for (const message of messages) void from.send(message);
        for (const message of messages) expect((await to.message()).data.equals(message)).toBe(true);
      }
    });

    it('are not held back until more come, whatever other tunnels carry', async () => {
      const host = await connectHost(front.relay);
      const quiet = await connectPair(front.relay, host);
      const busy = await connectPair(front.relay, host);
      const over = new AbortController();
      const flood = async (): Promise<void> => {
        while (!over.signal.aborted) {
          await busy.client.send(Buffer.alloc(65_536));
          await busy.data.message();
        }
      };
      const flooded = flood();
      // Each byte is sent only after the one before has arrived: a buffer that waits for more would stop this.
      for (let i = 0; i < 100; i++) {
        await expectForwarded(quiet.client, quiet.data, Buffer.from([i]));
        await expectForwarded(quiet.data, quiet.client, Buffer.from([i]));
      }
      over.abort();
      await flooded;
    });
  });

  describe('closes arrive with code and reason:', () => {
    it('1000 when the Client goes', async () => {
      const { client, data } = await connectPair(front.relay, await connectHost(front.relay));
      client.close(1000, 'bye');
      await expectClosed(data, 1000);
      expect((await client.closed()).code).toBe(1000);
    });

    it('1012 when the Host lets a Client go', async () => {
      const { client, data } = await connectPair(front.relay, await connectHost(front.relay));
      data.close(1000);
      await expectClosed(client, 1012);
    });

    it('4001 for all a Host had when it comes anew', async () => {
      const host = await connectHost(front.relay);
      const { client, data } = await connectPair(front.relay, host);
      await connectHost(front.relay, { identity: host.identity });
      for (const peer of [host.control, client, data]) await expectClosed(peer, 4001);
    });

    it('4002 for a data connection that nobody waits for', async () => {
      const identity = makeIdentity();
      const connectionId = randomBytes(16).toString('base64url');
      const query = signedQuery({ identity, role: 'host-data', connectionId });
      expect((await refusal(front.relay, query)).code).toBe(4002);
    });

    it('4008 for a Host that is not there', async () => {
      const query = clientQuery(makeIdentity().serverId);
      expect((await refusal(front.relay, query)).code).toBe(4008);
    });

    it('4010 for a clock that is off, and by how much', async () => {
      const host = newHost(front.relay, { ts: Date.now() - 312_000 });
      const reason = await expectClosed(host.control, 4010);
      expect(reason).toMatch(/^auth: timestamp 31[23] s behind/u);
    });

    it.each(['//ws', '/ws/', '/%77s', '/WS'])('1008 for the path %s', async (path) => {
      const url = `${new URL(front.relay.url).origin}${path}?${clientQuery(makeIdentity().serverId)}`;
      expect((await refusalAt(url)).code).toBe(1008);
    });
  });
}

async function expectForwarded(from: Peer, to: Peer, message: string | Buffer): Promise<void> {
  void from.send(message);
  const got = await to.message();
  expect(got.isBinary).toBe(typeof message !== 'string');
  expect(got.data.equals(Buffer.from(message))).toBe(true);
}
