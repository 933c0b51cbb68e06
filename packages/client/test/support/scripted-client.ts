import { FakeClock } from '@openchambery/testkit';
import { createEncryptionKeys } from '@openchambery/tunnel';
import { resolveClientOptions } from '../../src/client-options.ts';
import { assembleClient } from '../../src/create-relay-client.ts';
import type { RelayClient, RelayClientOptions } from '../../src/relay-client.ts';
import { ScriptedAttempts, type ScriptedTunnel } from './scripted-tunnel.ts';

/** A key that some Host may have. */
export const hostEncPubJwk: RelayClientOptions['hostEncPubJwk'] = (await createEncryptionKeys()).publicJwk;

/** 16 bytes of zeros. */
export const secret = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Options that are right. */
export const someOptions: RelayClientOptions = {
  relayUrl: 'ws://relay.test/ws',
  serverId: 'A'.repeat(43),
  hostEncPubJwk,
};

/** A Client whose clock, chance and connections are the test's. */
export interface ScriptedClient {
  readonly client: RelayClient;
  readonly clock: FakeClock;
  readonly attempts: ScriptedAttempts;
  /** Connects, or goes on with the attempt that is under way. */
  readonly open: () => ScriptedTunnel;
}

export function scriptClient(options: Partial<RelayClientOptions> = {}): ScriptedClient {
  const clock = new FakeClock();
  const attempts = new ScriptedAttempts();
  const resolved = resolveClientOptions({ ...someOptions, clock, random: () => 0.5, ...options });
  const client = assembleClient(resolved, attempts.start);
  const open = (): ScriptedTunnel => {
    if (client.status.state === 'idle') client.connect().catch(() => undefined);
    return attempts.last.open();
  };
  return { client, clock, attempts, open };
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
