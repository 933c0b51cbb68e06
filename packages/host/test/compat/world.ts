import { createRelayServer } from '@openchambery/relay';
import type { RelayServer, RelayServerOptions, SocketClosed } from '@openchambery/relay';
import { FakeClock, Inbox, startTestOrigin, TunnelTestClient } from '@openchambery/testkit';
import type { HelloOptions, TestOrigin, TunnelClientOptions, TunnelPairing } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import { createHostKeys, createRelayHost } from '../../src/index.ts';
import type { HostPolicy, RelayHost } from '../../src/index.ts';

export interface WorldOptions {
  readonly policy?: HostPolicy;
  /** Time of the Host alone; the relay's goes on. */
  readonly clock?: FakeClock;
  readonly limits?: RelayServerOptions['limits'];
}

/** The Host under test between a real origin and a real relay; Clients of another make can come. */
export interface World {
  readonly relay: RelayServer;
  readonly origin: TestOrigin;
  readonly host: RelayHost;
  readonly pairing: TunnelPairing;
  /** With which code the Host closed a data socket: Clients get 1012 from the relay whatever it was (Layer 1 §6). */
  readonly closeCode: () => Promise<number>;
  /** A Client whose channel is established. */
  readonly connect: (options?: TunnelClientOptions & HelloOptions) => Promise<TunnelTestClient>;
  /** A Client that has not said hello. */
  readonly dial: (options?: TunnelClientOptions) => Promise<TunnelTestClient>;
}

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const { policy, clock, limits } = options;
  const relay = createRelayServer({ port: 0, limits });
  await relay.start();
  const closes = new Inbox<SocketClosed>(
    'data sockets that closed',
    ({ code, reason }) => `${code} ${reason}`,
  );
  relay.on('socketClosed', (close) => {
    if (close.role === 'host-data') closes.push(close);
  });
  const origin = await startTestOrigin();
  const identity = await createHostKeys();
  const relayUrl = `ws://127.0.0.1:${relay.address().port}/ws`;
  const host = createRelayHost({ relayUrl, identity, origin: origin.url, policy, clock });
  onTestFinished(async () => {
    await host.stop();
    await relay.close();
    await origin.close();
  });
  host.start();
  await host.connected();
  const { serverId } = host;
  const pairing: TunnelPairing = { relayUrl, serverId, hostEncPubJwk: identity.encryption.publicJwk };
  return {
    relay,
    origin,
    host,
    pairing,
    closeCode: async () => {
      const { code, by, reason } = await closes.take();
      if (by !== 'peer') throw new Error(`the relay closed it: ${code} ${reason}`);
      return code;
    },
    connect: (clientOptions) => TunnelTestClient.connect(pairing, clientOptions),
    dial: (clientOptions) => TunnelTestClient.dial(pairing, clientOptions),
  };
}

/** A clock that shows the right time and stands still. */
export function standingClock(): FakeClock {
  return new FakeClock(Date.now());
}

/** Asks for a small answer: the channel works. */
export async function expectAlive(client: TunnelTestClient): Promise<void> {
  const { status } = await client.request({ path: '/status/200' });
  if (status !== 200) throw new Error(`the channel answers ${status}`);
}
