import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@openchambery/daemon';
import {
  type FakeFcm,
  type FakeFcmOptions,
  type FakeServiceAccount,
  makeFcmToken,
  makeServiceAccount,
  startFakeFcm,
} from '@openchambery/testkit';
import { createFcmProvider, type FcmOptions, type FcmProvider } from '../../src/fcm/create-fcm-provider.ts';
import { parseServiceAccount, type ServiceAccount } from '../../src/fcm/service-account.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import type { Notification } from '../../src/provider/push-provider.ts';
import { Lines, loopbackCertificate } from '../apns/rig.ts';

/** The account of every rig: keys are costly to make. */
export const ACCOUNT: FakeServiceAccount = makeServiceAccount();

/** The account as the provider gets it. */
export function account(json = ACCOUNT.json): ServiceAccount {
  const parsed = parseServiceAccount(json);
  if (parsed.kind === 'bad-account') throw new Error(parsed.problem);
  return parsed.account;
}

export function makeMessage(clock: Clock, overrides: Partial<Notification> = {}): Notification {
  return {
    id: randomUUID(),
    token: makeFcmToken(),
    kind: 'alert',
    payload: Buffer.from('{"data":{"title":"t"},"android":{"priority":"HIGH","ttl":"86400s"}}'),
    deadlineMs: clock.monotonicMs() + 5000,
    ...overrides,
  };
}

/** A provider and the fake it talks to. */
export interface FcmRig {
  readonly fcm: FakeFcm;
  readonly provider: FcmProvider;
  readonly clock: Clock;
  readonly log: Lines;
  /** Sends a push; everything but the overrides is made up. */
  send(overrides?: Partial<Notification>): Promise<PushOutcome>;
  close(): Promise<void>;
}

export interface FcmRigOptions {
  readonly clock?: Clock;
  readonly fake?: Partial<FakeFcmOptions>;
  readonly provider?: Partial<FcmOptions>;
}

export async function startFcmRig(options: FcmRigOptions = {}): Promise<FcmRig> {
  const { clock = systemClock } = options;
  const fcm = await startFakeFcm({
    account: ACCOUNT,
    now: () => clock.epochMs(),
    certificate: await loopbackCertificate(),
    ...options.fake,
  });
  const log = new Lines();
  const provider = createFcmProvider({
    account: account(),
    url: fcm.url,
    tokenUrl: fcm.tokenEndpoint.url,
    ca: fcm.caPem,
    clock,
    logger: log,
    hash: () => 'hashed',
    random: () => 0,
    ...options.provider,
  });
  return {
    fcm,
    provider,
    clock,
    log,
    send: (overrides = {}) => provider.send(makeMessage(clock, overrides)),
    async close() {
      await provider.close();
      await fcm.close();
    },
  };
}
