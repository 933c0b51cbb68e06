import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { createPushServer, type PushOptions, type PushServer } from '@openchambery/push';
import { makeApnsKey, makeLoopbackCertificate, startFakeApns, type FakeApns } from '@openchambery/testkit';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createPushClient } from '../../src/push/create-push-client.ts';
import type { PushClient } from '../../src/push/push-client.ts';
import type { PushClientOptions } from '../../src/push/push-options.ts';
import { KEYS } from './relay-stage.ts';

const APNS_KEY = makeApnsKey();
const CERTIFICATE = await makeLoopbackCertificate();

// Like NODE_EXTRA_CA_CERTS; taken back, because other files of tests run in the same process.
const trustedBefore = tls.getCACertificates('default');
beforeAll(() => tls.setDefaultCACertificates([...trustedBefore, CERTIFICATE.caPem]));
afterAll(() => tls.setDefaultCACertificates(trustedBefore));

/** A push relay in this process before a fake APNs. */
export interface PushStage {
  readonly apns: FakeApns;
  readonly server: PushServer;
  /** What a Host's relay URL would be, were the push relay mounted on a relay. */
  readonly relayUrl: string;
  readonly port: number;
  readonly client: (options?: Partial<PushClientOptions>) => PushClient;
}

/** Starts both; they end with the test. */
export async function startPushStage(options: Partial<PushOptions> = {}): Promise<PushStage> {
  const apns = await startFakeApns({
    keys: [APNS_KEY],
    topics: ['com.yee94.openchamber'],
    certificate: CERTIFICATE,
  });
  const folder = await mkdtemp(join(tmpdir(), 'host-push-'));
  const server = createPushServer({
    port: 0,
    databasePath: join(folder, 'push.sqlite'),
    apnsKeyId: APNS_KEY.keyId,
    apnsTeamId: APNS_KEY.teamId,
    apnsP8: APNS_KEY.p8,
    apnsSandboxUrl: apns.url,
    apnsProductionUrl: apns.url,
    ...options,
  });
  await server.start();
  onTestFinished(async () => {
    await server.close();
    await apns.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { port } = server.address();
  const relayUrl = `ws://127.0.0.1:${port}/ws`;
  return {
    apns,
    server,
    port,
    relayUrl,
    client: (more = {}) => createPushClient({ relayUrl, identity: KEYS, ...more }),
  };
}
