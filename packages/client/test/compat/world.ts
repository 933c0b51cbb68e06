import type { RelayServer, SocketClosed } from '@openchambery/relay';
import { createRelayServer } from '@openchambery/relay';
import type { AnswerOptions, TunnelHostChannel } from '@openchambery/testkit';
import { FakeClock, Inbox, TunnelTestHost } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import type { ClientStatus, RelayClient, RelayClientOptions } from '../../src/index.ts';
import { createRelayClient } from '../../src/index.ts';

export interface World {
  readonly relay: RelayServer;
  readonly host: TunnelTestHost;
  readonly client: RelayClient;
  readonly statuses: Inbox<ClientStatus>;
  /** With which code the Client closed its socket: Hosts get 1000 from the relay whatever it was (Layer 1 §6). */
  readonly closeCode: () => Promise<number>;
  /** Connects, and gives the Host's end of the channel. */
  readonly open: (options?: AnswerOptions) => Promise<TunnelHostChannel>;
  /** Connects, and gives the Host's end before its handshake. */
  readonly accept: () => Promise<TunnelHostChannel>;
}

/** The Client under test and a Host of another make, with a real relay between them. */
export async function makeWorld(options: Partial<RelayClientOptions> = {}): Promise<World> {
  const relay = createRelayServer({ port: 0 });
  await relay.start();
  const closes = new Inbox<SocketClosed>('Clients that closed', ({ code, reason }) => `${code} ${reason}`);
  relay.on('socketClosed', (close) => {
    if (close.role === 'client') closes.push(close);
  });
  const relayUrl = `ws://127.0.0.1:${relay.address().port}/ws`;
  const host = await TunnelTestHost.connect(relayUrl);
  const { serverId, hostEncPubJwk } = host;
  const trusted = { kty: 'EC', crv: 'P-256', x: hostEncPubJwk.x, y: hostEncPubJwk.y } as const;
  const client = createRelayClient({ relayUrl, serverId, hostEncPubJwk: trusted, ...options });
  const statuses = new Inbox<ClientStatus>('statuses', ({ state }) => state);
  client.onStatus((status) => statuses.push(status));
  onTestFinished(async () => {
    client.close();
    await relay.close();
  });
  const accept = (): Promise<TunnelHostChannel> => {
    // Whether it comes about is what the tests look at.
    client.connect().catch(() => 'shows in the status');
    return host.accept();
  };
  return {
    relay,
    host,
    client,
    statuses,
    closeCode: async () => {
      const { code, by, reason } = await closes.take();
      if (by !== 'peer') throw new Error(`the relay closed it: ${code} ${reason}`);
      return code;
    },
    accept,
    open: async (answer) => {
      const channel = await accept();
      await channel.handshake(answer);
      await client.connect();
      return channel;
    },
  };
}

/** A clock that shows the right time and stands still. */
export function standingClock(): FakeClock {
  return new FakeClock(Date.now());
}

/** Asks for a small answer: the channel works. */
export async function expectAlive(client: RelayClient, channel: TunnelHostChannel): Promise<void> {
  const answer = client.fetch('/alive', { method: 'POST' });
  const { id } = await channel.nextRequest();
  channel.respond(id, { status: 200 }, 'yes');
  if ((await (await answer).text()) !== 'yes') throw new Error('another answer than the one that was given');
}
