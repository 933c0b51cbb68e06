import { once } from 'node:events';
import { delay } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { leapToPong, leapUntil, standstill } from './support/leaps.ts';
import { type Network, startNetwork } from './support/network.ts';
import { relayClosed, WATCHFUL } from './support/relay-log.ts';
import { clientIn, closedConnections, hostIn, nextClosed } from './support/status.ts';
import { download, uploadBody, whole } from './support/transfer.ts';

const LOST = { code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' };

/** In which direction bytes are lost. */
const SCOPES = ['toClient', 'toTarget', 'both'] as const;

/** What a relay says over control of a Client that left, and of one that came, in bytes at least. */
const NEWS_BYTES = 120;

/** Real time that may pass beside the leaps on a machine that is busy, in ms. */
const BUSY_MS = 20_000;

/** {@link leapUntil} for a Host, whose control connection must be heard meanwhile; `happened` takes 60 s to 100 s. */
async function leapHost({ hostClock, control }: Network, happened: Promise<unknown>): Promise<number> {
  const startedAt = hostClock.monotonicMs();
  for (let pings = 1; pings <= 2; pings++) await leapToPong(hostClock, control);
  await leapUntil(hostClock, happened);
  return hostClock.monotonicMs() - startedAt;
}

async function readOn(reader: ReadableStreamDefaultReader<unknown> | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
}

describe('a Client’s leg that is half open', () => {
  it.each(['toClient', 'both'] as const)(
    '(%s) is noticed by an idle Client within 30 s + 15 s',
    async (scope) => {
      const { connectClient } = await startNetwork();
      const { client, clock, clientLeg } = await connectClient();
      clientLeg.drop(scope);
      const ms = await leapUntil(clock, clientIn(client, 'reconnecting'));
      expect(ms).toBeGreaterThan(43_000);
      expect(ms).toBeLessThan(46_000 + BUSY_MS);
      expect(await download(client, 100_000)).toEqual(whole(100_000));
    },
  );

  it('is noticed in the same time when an upload gets no further', async () => {
    const { connectClient, origin } = await startNetwork();
    const { client, clock, clientLeg } = await connectClient();
    let sentBytes = 0;
    let sentAt = 0;
    const post = client.fetch('/slow', {
      method: 'POST',
      body: uploadBody(1_000_000_000, (bytes) => {
        sentBytes = bytes;
        sentAt = clock.monotonicMs();
      }),
      duplex: 'half',
    });
    const lost = post.catch((error: unknown) => error);
    const held = await origin.nextHeld();
    clientLeg.stop();
    await standstill(() => sentBytes);
    await leapUntil(clock, lost);
    expect(await lost).toMatchObject(LOST);
    expect(clock.monotonicMs() - sentAt).toBeLessThan(46_000 + BUSY_MS);
    // The Host learns of it from the relay as soon as the old leg ends.
    clientLeg.reset();
    await held.abandoned();
  });

  it('is noticed by the Host after 90 s when the Client hears and is not heard', async () => {
    const network = await startNetwork();
    const { connectClient, host, origin } = network;
    const { client, clientLeg } = await connectClient();
    const body = (await client.fetch('/sse')).body?.getReader();
    const events = await origin.nextEventStream();
    clientLeg.drop('toTarget');
    await events.push('still heard');
    expect((await body?.read())?.done).toBe(false);
    const closed = nextClosed(host);
    const ms = await leapHost(network, closed);
    expect(await closed).toBe('no sign of life');
    expect(ms).toBeGreaterThan(88_000);
    expect(ms).toBeLessThan(91_000 + BUSY_MS);
    // What is under way fails, nothing is taken for its end.
    await expect(readOn(body)).rejects.toMatchObject(LOST);
    await events.abandoned();
    expect(await download(client, 100_000)).toEqual(whole(100_000));
  });

  it('is noticed by the relay within two heartbeats, whichever way is dead, and the Host is told', async () => {
    const { connectClient, host, relay } = await startNetwork({ limits: WATCHFUL });
    const closed = closedConnections(host, SCOPES.length);
    const sound = await connectClient();
    for (const scope of SCOPES) (await connectClient()).clientLeg.drop(scope);
    expect(await relayClosed(relay, 'client', SCOPES.length)).toEqual(SCOPES.map(() => 1012));
    // Whoever heard of it is on its way back already.
    await closed;
    expect(sound.client.status).toEqual({ state: 'connected' });
  });
});

describe('a Host’s data leg that is half open', () => {
  it.each(['toClient', 'both'] as const)('(%s) is dropped by the Host after 90 s', async (scope) => {
    const network = await startNetwork();
    const { connectClient, host } = network;
    const { client, clock, hostLeg } = await connectClient();
    hostLeg.drop(scope);
    const closed = nextClosed(host);
    const ms = await leapHost(network, closed);
    expect(await closed).toBe('no sign of life');
    expect(ms).toBeGreaterThan(88_000);
    expect(ms).toBeLessThan(91_000 + BUSY_MS);
    // Where the Host's close gets through, the Client knows; elsewhere it finds out by itself.
    const noticed = clientIn(client, 'reconnecting');
    if (scope === 'toClient') await noticed;
    else await leapUntil(clock, noticed);
    expect(await download(client, 100_000)).toEqual(whole(100_000));
  });

  it.each(['toTarget', 'both'] as const)(
    '(%s) is noticed by the Client, whose pings nobody answers; its requests recover',
    async (scope) => {
      const { connectClient, control, host, hostClock, origin } = await startNetwork();
      const { client, clock, hostLeg } = await connectClient();
      const get = client.fetch('/slow');
      await origin.nextHeld();
      const closed = nextClosed(host);
      const toldBytes = control.traffic.toClient.deliveredBytes;
      hostLeg.drop(scope);
      const ms = await leapUntil(clock, clientIn(client, 'reconnecting'));
      expect(ms).toBeLessThan(46_000 + BUSY_MS);
      (await origin.nextHeld()).answer(200, 'second try');
      expect(await (await get).text()).toBe('second try');
      // The relay closes the leg that is left over. Where that is not heard, what it says over control is.
      if (scope === 'both') {
        await control.passed('toClient', toldBytes + NEWS_BYTES);
        await delay(5);
        hostClock.leap(10_000);
      }
      await closed;
      expect(host.snapshot().connections).toBe(1);
    },
  );

  it('is noticed by the relay within two heartbeats, whichever way is dead; Clients go on over others', async () => {
    const { connectClient, links, relay } = await startNetwork({ limits: WATCHFUL });
    const clients = await Promise.all(
      SCOPES.map(async () => {
        const { client } = await connectClient();
        const socket = new client.WebSocket('/ws/echo');
        await once(socket, 'open');
        const closed = once(socket, 'close') as Promise<[CloseEvent]>;
        return { client, closed };
      }),
    );
    const [, ...legs] = links.host.connections;
    for (const [index, scope] of SCOPES.entries()) legs[index]?.drop(scope);
    expect(await relayClosed(relay, 'host-data', SCOPES.length)).toEqual(SCOPES.map(() => 1012));
    for (const { client, closed } of clients) {
      expect((await closed)[0].code).toBe(1012);
      expect(await download(client, 100_000)).toEqual(whole(100_000));
    }
    expect(links.client.connectionsTotal).toBe(2 * SCOPES.length);
  });
});

describe('a control connection that is half open', () => {
  it.each(['toClient', 'both'] as const)('(%s) is given up by the Host after 40 s', async (scope) => {
    const { host, hostClock, control } = await startNetwork();
    control.drop(scope);
    const ms = await leapUntil(hostClock, hostIn(host, 'reconnecting'));
    expect(await hostIn(host, 'connected')).toEqual({ state: 'connected' });
    expect(ms).toBeGreaterThan(39_000);
    expect(ms).toBeLessThan(41_000 + BUSY_MS);
  });

  it('(toTarget) is closed by the relay within two heartbeats, and the Host comes back', async () => {
    const { host, control, relay } = await startNetwork({ limits: WATCHFUL });
    control.drop('toTarget');
    expect(await hostIn(host, 'reconnecting')).toMatchObject({
      reason: expect.stringContaining('no sign of life'),
    });
    expect(await relayClosed(relay, 'host-control')).toEqual([4003]);
    await hostIn(host, 'connected');
  });

  it('is kept while the relay answers, however long nothing else happens', async () => {
    const { host, hostClock, control } = await startNetwork();
    for (let pings = 1; pings <= 6; pings++) {
      await leapToPong(hostClock, control);
    }
    expect(host.status).toEqual({ state: 'connected' });
    expect(control.state).toBe('open');
  });
});
