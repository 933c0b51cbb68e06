import { createRelayClient } from '@openchambery/client';
import type { RelayClient, RelayClientOptions } from '@openchambery/client';
import { createHostKeys, createRelayHost } from '@openchambery/host';
import type { HostKeys, RelayHost, RelayHostOptions } from '@openchambery/host';
import { startFaultProxy, startRelay, startTestOrigin } from '@openchambery/testkit';
import type { FaultProxy, ProxiedConnection, RelayProcess, TestOrigin } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import { ROOMY } from '../../support/tunnel.ts';
import { LeapClock } from './leap-clock.ts';

/** Between which two parties a proxy stands; the one that dials comes first. */
export interface Links {
  readonly client: FaultProxy;
  readonly host: FaultProxy;
  readonly origin: FaultProxy;
}

export interface NetworkOptions {
  /** Limits of the relay, by their variables without the prefix. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly hostClock?: LeapClock;
  readonly host?: Partial<Omit<RelayHostOptions, 'handler' | 'origin'>>;
  /** @default true: all is awaited until the Host is connected */
  readonly isHostAwaited?: boolean;
}

/** A Client with a clock of its own. */
export interface NetworkClient {
  readonly client: RelayClient;
  readonly clock: LeapClock;
}

/** All parties, each of which reaches the next through a proxy. */
export interface Network {
  readonly origin: TestOrigin;
  readonly relay: RelayProcess;
  readonly links: Links;
  readonly host: RelayHost;
  readonly hostClock: LeapClock;
  /** A Client that has not dialled yet. */
  readonly makeClient: (options?: Partial<RelayClientOptions>) => NetworkClient;
  /** A Client that is connected, and both its legs. */
  readonly connectClient: (options?: Partial<RelayClientOptions>) => Promise<ConnectedClient>;
  /** The Host's first connection, which is for control. */
  readonly control: ProxiedConnection;
  /** The Host's next connection that nobody has taken. */
  readonly nextHostConnection: () => Promise<ProxiedConnection>;
}

/** A Client with its own leg and the Host's. */
export interface ConnectedClient extends NetworkClient {
  readonly clientLeg: ProxiedConnection;
  readonly hostLeg: ProxiedConnection;
}

/** Longer than a Host waits for the answer to a close. */
const CLOSING_MS = 10_000;

/** One identity for all: making keys is not what is tested. */
let keys: Promise<HostKeys> | undefined;

/** The Host's keys. */
export function hostKeys(): Promise<HostKeys> {
  keys ??= createHostKeys();
  return keys;
}

/** Starts a relay that takes as many upgrades as a test likes, and waits little for the dead; it ends with the test. */
export async function startRoomyRelay(limits: Readonly<Record<string, number>> = {}): Promise<RelayProcess> {
  const relay = await startRelay({
    limits: { ...ROOMY, MAX_CLIENTS_PER_IP: 100, CLOSE_DEADLINE_MS: 300, ...limits },
  });
  onTestFinished(() => relay.stop());
  return relay;
}

/** Starts everything; all ends with the test. */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const [origin, relay, identity] = await Promise.all([
    startTestOrigin(),
    startRoomyRelay(options.limits),
    hostKeys(),
  ]);
  onTestFinished(() => origin.close());
  const links = await startLinks(origin, relay);
  const hostClock = options.hostClock ?? new LeapClock();
  const host = createRelayHost({
    relayUrl: `ws://${links.host.authority}${relay.path}`,
    identity,
    origin: `http://${links.origin.authority}`,
    clock: hostClock,
    random: () => 0.99,
    ...options.host,
  });
  onTestFinished(async () => {
    const stopped = host.stop();
    // Some peers do not answer any more, on purpose.
    hostClock.leap(CLOSING_MS);
    await stopped;
  });
  host.start();
  if (options.isHostAwaited ?? true) await host.connected();
  const makeClient = (own: Partial<RelayClientOptions> = {}): NetworkClient => {
    const clock = new LeapClock();
    const client = createRelayClient({
      relayUrl: `ws://${links.client.authority}${relay.path}`,
      serverId: identity.signing.serverId,
      hostEncPubJwk: identity.encryption.publicJwk,
      clock,
      random: () => 0.01,
      ...own,
    });
    onTestFinished(() => client.close());
    return { client, clock };
  };
  const nextHostConnection = (): Promise<ProxiedConnection> => links.host.connection();
  return {
    origin,
    relay,
    links,
    host,
    hostClock,
    makeClient,
    control: await nextHostConnection(),
    nextHostConnection,
    connectClient: async (own) => {
      const made = makeClient(own);
      await made.client.connect();
      return { ...made, clientLeg: await links.client.connection(), hostLeg: await nextHostConnection() };
    },
  };
}

async function startLinks(origin: TestOrigin, relay: RelayProcess): Promise<Links> {
  const [client, host, behind] = await Promise.all(
    [relay.port, relay.port, origin.port].map((port) =>
      startFaultProxy({ target: { host: '127.0.0.1', port } }),
    ),
  );
  if (client === undefined || host === undefined || behind === undefined) throw new Error('no proxy');
  onTestFinished(async () => {
    await Promise.all([client, host, behind].map((proxy) => proxy.close()));
  });
  return { client, host, origin: behind };
}
