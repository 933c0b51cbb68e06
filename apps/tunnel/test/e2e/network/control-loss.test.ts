import type { ProxiedConnection } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { LeapClock } from './support/leap-clock.ts';
import { type ConnectedClient, type Network, startNetwork } from './support/network.ts';
import { relayClosed, WATCHFUL } from './support/relay-log.ts';
import { hostIn } from './support/status.ts';
import { download, readAll, upload, whole } from './support/transfer.ts';

const BYTES = 6 * 1024 * 1024;

/** A Client whose transfers last longer than what a test does to the control connection meanwhile. */
async function start(limits = {}): Promise<[Network, ConnectedClient, ProxiedConnection]> {
  const network = await startNetwork({ limits });
  return [network, await network.connectClient(), network.control];
}

/** Runs a download and an upload side by side; `act` begins when both are under way, and both end after it. */
async function transferAround(
  { client, clientLeg }: ConnectedClient,
  act: () => Promise<void>,
): Promise<void> {
  const bothBegun = Promise.withResolvers<void>();
  const acted = bothBegun.promise.then(act);
  // Whoever reads or writes says how it went; a test that fails must not hold them up for ever.
  const goOn = acted.catch(() => undefined);
  let begun = 0;
  const slowly = (): ((bytes: number) => Promise<void> | undefined) => {
    let hasBegun = false;
    return (bytes) => {
      if (bytes < BYTES / 4) return undefined;
      if (!hasBegun && ++begun === 2) bothBegun.resolve();
      hasBegun = true;
      return bytes > BYTES / 2 ? goOn : undefined;
    };
  };
  const transfers = [download(client, BYTES, slowly()), upload(client, BYTES, slowly())];
  const [received] = await Promise.all([Promise.all(transfers), acted]);
  expect(received).toEqual([whole(BYTES), whole(BYTES)]);
  expect(clientLeg.state).toBe('open');
}

describe('control that breaks and is back within grace', () => {
  it.each(['reset', 'cut'] as const)('(%s) costs transfers not a byte', async (act) => {
    const [{ host, links }, client, control] = await start();
    await transferAround(client, async () => {
      control[act]();
      await hostIn(host, 'reconnecting');
      await hostIn(host, 'connected');
    });
    // Two for control, one for data: the pair was left alone.
    expect(links.host.connectionsTotal).toBe(3);
  });

  it.each(['both', 'toTarget', 'toClient'] as const)(
    '(dropped in silence, %s) costs nothing either, once the relay has noticed',
    async (scope) => {
      const [{ host, hostClock, links, relay }, client, control] = await start(WATCHFUL);
      await transferAround(client, async () => {
        // The Host must not be back before the relay knows that it is gone.
        await links.host.meetNew('refuse');
        control.drop(scope);
        if (scope === 'toClient') {
          // The relay hears all there is to hear, until the Host gives up.
          await leapToSilence(hostClock);
          await hostIn(host, 'reconnecting');
          control.reset();
        }
        expect(await relayClosed(relay, 'host-control')).toEqual([scope === 'toClient' ? 1006 : 4003]);
        if (scope === 'both') await leapToSilence(hostClock);
        await hostIn(host, 'reconnecting');
        await links.host.meetNew('open');
        hostClock.leap(10_000);
        await hostIn(host, 'connected');
      });
      expect(host.snapshot().connections).toBe(1);
    },
  );
});

describe('control that is back before the relay has noticed', () => {
  it('ends the pairs, as two Hosts would do; all comes back, and nothing is taken for whole', async () => {
    const [{ host, hostClock, origin, relay }, { client }, control] = await start();
    const response = await client.fetch('/sse');
    const events = await origin.nextEventStream();
    await events.push('one');
    const rest = readAll(response.body).catch((error: unknown) => error);
    const get = client.fetch('/slow');
    await origin.nextHeld();

    control.drop();
    await leapToSilence(hostClock);
    await hostIn(host, 'connected');
    expect(await relayClosed(relay, 'client')).toEqual([4001]);
    expect(await rest).toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST', closeCode: 4001 });
    (await origin.nextHeld()).answer(200, 'again');
    expect(await (await get).text()).toBe('again');
    expect(client.status).toEqual({ state: 'connected' });
  });
});

/** Lets the Host ping, and wait for what does not come: 40 s in all. */
async function leapToSilence(hostClock: LeapClock): Promise<void> {
  hostClock.leap(30_000);
  await new Promise((resolve) => setImmediate(resolve));
  hostClock.leap(10_000);
}
