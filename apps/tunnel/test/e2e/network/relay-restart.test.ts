import { once } from 'node:events';
import type { RelayClient } from '@openchambery/client';
import type { RelayProcess } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { type ConnectedClient, type Network, startNetwork, startRoomyRelay } from './support/network.ts';
import { clientIn, hostIn } from './support/status.ts';
import { download, readAll, uploadBody, whole } from './support/transfer.ts';

const LOST = { name: 'RelayClientError', code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' };

/** More bytes than can be sent meanwhile. */
const ENDLESS = 1_000_000_000;

/** How a relay goes: with a word to everybody, or without. */
const DEATHS = ['SIGTERM', 'SIGKILL'] as const;

/** Ends the relay and puts another in its place. */
async function replaceRelay({ relay, links }: Network, signal: NodeJS.Signals): Promise<RelayProcess> {
  relay.kill(signal);
  await relay.exited;
  const next = await startRoomyRelay();
  for (const link of [links.client, links.host]) link.retarget({ host: '127.0.0.1', port: next.port });
  return next;
}

async function openSocket(client: RelayClient, path: string): Promise<WebSocket> {
  const socket = new client.WebSocket(path);
  await once(socket, 'open');
  return socket;
}

/** The fate of a promise, from now on. */
function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

async function start(): Promise<[Network, ConnectedClient]> {
  const network = await startNetwork({ host: { random: () => 0.9 } });
  return [network, await network.connectClient()];
}

/** A relay takes up to 10 s to end, and peers come back up to 15 s after it (Layer 1 section 7); what is tested is that. */
const RESTART = { timeout: 60_000 };

describe.each(DEATHS)('a relay that restarts (%s)', RESTART, (signal) => {
  it('costs requests that may be repeated nothing but time', async () => {
    const [network, { client }] = await start();
    const { origin } = network;
    const get = client.fetch('/slow?get');
    const put = client.fetch('/slow?put', { method: 'PUT', body: 'x'.repeat(100_000) });
    const lost = [await origin.nextHeld(), await origin.nextHeld()];
    await replaceRelay(network, signal);
    // The origin is told that nobody waits for these any more.
    await Promise.all(lost.map((held) => held.abandoned()));
    const again = [await origin.nextHeld(), await origin.nextHeld()];
    expect(again.map(({ record }) => record.url).toSorted()).toEqual(['/slow?get', '/slow?put']);
    for (const held of again) held.answer(200, held.record.url);
    expect(await Promise.all([(await get).text(), (await put).text()])).toEqual(['/slow?get', '/slow?put']);
  });

  it('fails all others clearly, and repeats none of them', async () => {
    const [network, { client }] = await start();
    const { origin } = network;
    const post = outcome(client.fetch('/slow?post', { method: 'POST', body: 'x' }));
    let pulledBytes = 0;
    // A stream cannot be sent twice, whatever the method.
    const stream = outcome(
      client.fetch('/slow?stream', {
        method: 'PUT',
        body: uploadBody(ENDLESS, (bytes) => (pulledBytes = bytes)),
        duplex: 'half',
      }),
    );
    const begun = await client.fetch('/sse');
    await (await origin.nextEventStream()).push('one');
    const reader = begun.body?.getReader();
    await reader?.read();
    const rest = outcome(reader?.read() ?? Promise.resolve());
    await Promise.all([origin.nextHeld(), origin.nextHeld()]);
    const before = origin.requestsTotal;

    await replaceRelay(network, signal);
    expect(await Promise.all([post, stream, rest])).toMatchObject([LOST, LOST, LOST]);
    expect(pulledBytes).toBeLessThan(ENDLESS);
    expect(await post).toMatchObject({ message: expect.stringMatching(/connection to the Host broke/) });
    expect(await download(client, 1000)).toEqual(whole(1000));
    expect(origin.requestsTotal).toBe(before + 1);
  });

  it('closes WebSockets with 1012 at the Client, and not in silence at the origin', async () => {
    const [network, { client }] = await start();
    const sockets = [await openSocket(client, '/ws/echo'), await openSocket(client, '/ws/other')];
    const atOrigin = [await network.origin.nextSocket(), await network.origin.nextSocket()];
    const closes = sockets.map(async (socket) => {
      const [event] = (await once(socket, 'close')) as [CloseEvent];
      return event.code;
    });
    await replaceRelay(network, signal);
    expect(await Promise.all(closes)).toEqual([1012, 1012]);
    await Promise.all(atOrigin.map((socket) => socket.closed()));

    const again = await openSocket(client, '/ws/echo');
    again.send('back');
    const [message] = (await once(again, 'message')) as [MessageEvent];
    expect(message.data).toBe('back');
  });

  it('is found again by Host and Client themselves, after transfers in full flow', async () => {
    const [network, { client }] = await start();
    const bodies = await Promise.all(
      [1, 2, 3].map(async () => (await client.fetch(`/bytes/${ENDLESS}`)).body),
    );
    const broken = bodies.map((body) => outcome(readAll(body)));
    await network.links.client.connections[0]?.passed('toClient', 3_000_000);
    await replaceRelay(network, signal);
    expect(await Promise.all(broken)).toMatchObject([LOST, LOST, LOST]);
    await Promise.all([hostIn(network.host, 'connected'), clientIn(client, 'connected')]);
    expect(network.host.snapshot()).toMatchObject({ connections: 1, openStreams: 0 });
    expect(await download(client, 3_000_000)).toEqual(whole(3_000_000));
  });
});
