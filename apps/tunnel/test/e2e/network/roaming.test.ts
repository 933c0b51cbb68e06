import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leapToPong } from './support/leaps.ts';
import { startNetwork } from './support/network.ts';
import { relayClosed, WATCHFUL } from './support/relay-log.ts';
import { clientIn, nextClosed } from './support/status.ts';
import { download, whole } from './support/transfer.ts';

/** How long a Client waits for a sign of life when it hears that its network has changed, in ms. */
const PROBE_MS = 3000;

describe('a Client that changes its network while its old connection hangs', () => {
  it('goes on over a new one within seconds, with what it had asked before', async () => {
    const { connectClient, links, origin } = await startNetwork();
    const { client, clock, clientLeg } = await connectClient();
    const asked = client.fetch('/slow');
    await origin.nextHeld();
    clientLeg.drop();
    const askedInTheDark = client.fetch('/status/200');
    client.networkChanged();
    clock.leap(PROBE_MS);
    (await origin.nextHeld()).answer(200, 'here');
    expect(await (await asked).text()).toBe('here');
    expect((await askedInTheDark).status).toBe(200);
    expect(await download(client, 1_000_000)).toEqual(whole(1_000_000));
    expect(links.client.connectionsTotal).toBe(2);
    expect(client.status).toEqual({ state: 'connected' });
  });

  it('hears 1012 for its WebSockets at once, and may open others', async () => {
    const { connectClient } = await startNetwork();
    const { client, clock, clientLeg } = await connectClient();
    const socket = new client.WebSocket('/ws/echo');
    await once(socket, 'open');
    const closed = once(socket, 'close') as Promise<[CloseEvent]>;
    clientLeg.drop();
    client.networkChanged();
    clock.leap(PROBE_MS);
    expect((await closed)[0].code).toBe(1012);
    const next = new client.WebSocket('/ws/echo');
    await once(next, 'open');
  });

  it('does not give up a dial for good that began on the old network', async () => {
    const { makeClient, links } = await startNetwork();
    await links.client.meetNew('black-hole');
    const { client, clock } = makeClient();
    const connected = client.connect();
    await links.client.connection();
    await links.client.meetNew('open');
    clock.leap(PROBE_MS);
    client.networkChanged();
    await connected;
    expect(links.client.connectionsTotal).toBe(2);
  });

  it('leaves a leg that the Host drops after 90 s, and only that', async () => {
    const { connectClient, control, host, hostClock, nextHostConnection } = await startNetwork();
    const { client, clock, clientLeg, hostLeg } = await connectClient();
    clientLeg.drop();
    client.networkChanged();
    clock.leap(PROBE_MS);
    await clientIn(client, 'connected');
    const nextLeg = await nextHostConnection();
    const closed = nextClosed(host);
    for (let leaps = 1; leaps <= 3; leaps++) {
      expect(await download(client, 1000)).toEqual(whole(1000));
      await leapToPong(hostClock, control);
    }
    expect(await closed).toBe('no sign of life');
    await hostLeg.closed();
    expect(host.snapshot().connections).toBe(1);
    expect(nextLeg.state).toBe('open');
    expect(await download(client, 1000)).toEqual(whole(1000));
  });

  it('leaves a leg that the relay gives up within two heartbeats, and the Host with it', async () => {
    const { connectClient, host, relay } = await startNetwork({ limits: WATCHFUL });
    const { client, clock, clientLeg, hostLeg } = await connectClient();
    const closed = nextClosed(host);
    clientLeg.drop();
    client.networkChanged();
    clock.leap(PROBE_MS);
    expect(await download(client, 1000)).toEqual(whole(1000));
    expect(await relayClosed(relay, 'client')).toEqual([1012]);
    await closed;
    await hostLeg.closed();
    expect(host.snapshot().connections).toBe(1);
    expect(client.status).toEqual({ state: 'connected' });
  });
});

describe('a Client that changes its network and keeps its connection', () => {
  it('keeps it, also in the middle of transfers that the network delays', async () => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    links.client.delay(100);
    const transfer = download(client, 1_000_000, () => client.networkChanged());
    expect(await transfer).toEqual(whole(1_000_000));
    expect(links.client.connectionsTotal).toBe(1);
  });
});
