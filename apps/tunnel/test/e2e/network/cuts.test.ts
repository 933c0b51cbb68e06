import type { FaultProxy, FlowDirection, ProxiedConnection } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { type Links, type Network, startNetwork } from './support/network.ts';
import { SeededRandom } from './support/seeded-random.ts';
import { download, whole } from './support/transfer.ts';
import { type WorkEnd, workOf } from './support/work.ts';

/** For a machine that is busy: there are many moments, in ms. */
const PATIENCE_MS = 60_000;

/** Change it to look elsewhere. */
const SEED = 20_261_129;

/** How many moments of each kind. */
const ROUNDS = 12;

/** Upgrade, answer, hello, ready and the first frames lie in here, in bytes. */
const HANDSHAKE_BYTES = 1200;

/** Before so many bytes no channel stands: an upgrade with its query, the answer to it. */
const UNSENT_BYTES = { toTarget: 400, toClient: 120 } as const;

/** Most of what is sent meanwhile lies in here, in frames of up to 64 KiB. */
const WORK_BYTES = 500_000;

/** One moment at which a connection breaks. */
interface Moment {
  readonly direction: FlowDirection;
  readonly bytes: number;
  readonly act: 'cut' | 'reset';
}

function moments(seed: number, withinBytes: number): Moment[] {
  const random = new SeededRandom(SEED + seed);
  return Array.from({ length: ROUNDS }, () => ({
    direction: random.pick(['toTarget', 'toClient'] as const),
    bytes: random.below(withinBytes),
    act: random.pick(['cut', 'reset'] as const),
  }));
}

/** Breaks a connection when exactly so many bytes have passed, or when the work is over. */
async function breakAt(
  connection: ProxiedConnection,
  { direction, bytes, act }: Moment,
  work: Promise<unknown>,
): Promise<void> {
  const passedBytes = connection.traffic[direction].deliveredBytes;
  connection.passOnly(bytes, direction);
  // Work that goes on elsewhere may end first.
  await Promise.race([connection.passed(direction, passedBytes + bytes).catch(() => undefined), work]);
  connection[act]();
}

/** The same for the next connection, from its first byte on. */
async function breakNext(proxy: FaultProxy, moment: Moment, start: () => Promise<unknown>): Promise<void> {
  const held = proxy.holdNext(1);
  const work = start();
  const [connection] = await held;
  if (connection === undefined) throw new Error('no connection');
  const broken = breakAt(connection, moment, work);
  await proxy.admit(connection);
  await broken;
}

/** Nothing is sent twice that must not be, and a new attempt finds all as it should be. */
async function lookAfter({ origin }: Network, name: string, again: () => Promise<unknown>): Promise<void> {
  expect(await again()).toEqual(whole(10_000));
  expect(origin.requests.filter(({ url }) => url === `/sink?${name}`).length).toBeLessThanOrEqual(1);
}

function count(ends: readonly WorkEnd[]): { done: number; failed: number } {
  const done = ends.filter((end) => end === 'done').length;
  return { done, failed: ends.length - done };
}

describe.each([
  ['client', 1],
  ['host', 2],
] as const satisfies readonly (readonly [keyof Links, number])[])('the link of the %s', (name, seed) => {
  it(
    'may break at any byte of the beginning',
    async () => {
      const network = await startNetwork();
      const ends: WorkEnd[] = [];
      for (const [index, moment] of moments(seed * 10, HANDSHAKE_BYTES).entries()) {
        const { client } = network.makeClient();
        const work = Promise.withResolvers<readonly WorkEnd[]>();
        await breakNext(network.links[name], moment, () => {
          work.resolve(workOf(client, `begin-${index}`));
          return work.promise;
        });
        const ended = await work.promise;
        // What has not been sent is not lost.
        if (moment.bytes < UNSENT_BYTES[moment.direction]) expect(ended).toEqual(['done', 'done', 'done']);
        ends.push(...ended);
        await lookAfter(network, `begin-${index}`, () => download(client, 10_000));
        client.close();
      }
      expect(count(ends).failed).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it(
    'may break at any byte of the work',
    async () => {
      const network = await startNetwork();
      const { client } = await network.connectClient();
      const ends: WorkEnd[] = [];
      for (const [index, moment] of moments(seed * 10 + 1, WORK_BYTES).entries()) {
        const work = workOf(client, `work-${index}`);
        const leg = network.links[name].connections.at(-1);
        if (leg === undefined) throw new Error('no leg');
        await breakAt(leg, moment, work);
        ends.push(...(await work));
        await lookAfter(network, `work-${index}`, () => download(client, 10_000));
      }
      expect(count(ends).failed).toBeGreaterThan(0);
      expect(count(ends).done).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});

describe('the link of the origin', () => {
  it.each([HANDSHAKE_BYTES, WORK_BYTES])(
    'may break at any of the first %i bytes',
    async (withinBytes) => {
      const network = await startNetwork();
      const { client } = await network.connectClient();
      const { origin } = network.links;
      const ends: WorkEnd[] = [];
      for (const [index, moment] of moments(30, withinBytes).entries()) {
        const idle = origin.connections.map((connection) => connection.closed());
        origin.reset();
        await Promise.all(idle);
        const work = Promise.withResolvers<readonly WorkEnd[]>();
        await breakNext(origin, moment, () => {
          work.resolve(workOf(client, `origin-${index}`));
          return work.promise;
        });
        ends.push(...(await work.promise));
        await lookAfter(network, `origin-${index}`, () => download(client, 10_000));
      }
      expect(count(ends).failed).toBeGreaterThan(0);
      expect(count(ends).done).toBeGreaterThan(ends.length / 2);
      // One connection to the origin is not all.
      expect(network.links.client.connectionsTotal).toBe(1);
    },
    PATIENCE_MS,
  );
});
