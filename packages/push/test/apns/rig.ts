import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, type Logger, systemClock } from '@openchambery/daemon';
import {
  type ApnsKey,
  type FakeApns,
  type FakeApnsOptions,
  type LoopbackCertificate,
  makeApnsKey,
  makeLoopbackCertificate,
  startFakeApns,
} from '@openchambery/testkit';
import type { ApnsOptions } from '../../src/apns/apns-options.ts';
import { type ApnsProvider, createApnsProvider } from '../../src/apns/create-apns-provider.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import type { ApnsNotification } from '../../src/provider/push-provider.ts';

export const BUNDLE_ID = 'com.example.app';

/** The key of every rig: pairs are costly to make. */
export const KEY: ApnsKey = makeApnsKey();

let certificate: Promise<LoopbackCertificate> | undefined;

/** One certificate for all servers of a file. */
export function loopbackCertificate(): Promise<LoopbackCertificate> {
  certificate ??= makeLoopbackCertificate();
  return certificate;
}

/** Keeps what a logger is told. */
export class Lines implements Logger {
  readonly lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];

  debug(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'debug', fields, message });
  }

  info(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'info', fields, message });
  }

  warn(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'warn', fields, message });
  }

  error(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'error', fields, message });
  }

  of(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}

/** A provider that talks to whatever listens at `url`. */
export function makeProvider(url: string, ca: string, options: Partial<ApnsOptions> = {}): ApnsProvider {
  return createApnsProvider({
    keyId: KEY.keyId,
    teamId: KEY.teamId,
    bundleId: BUNDLE_ID,
    key: KEY.p8,
    urls: { production: url, sandbox: url },
    ca,
    clock: systemClock,
    logger: new Lines(),
    hash: () => 'hashed',
    ...options,
  });
}

export function makeNotification(clock: Clock, overrides: Partial<ApnsNotification> = {}): ApnsNotification {
  return {
    id: randomUUID(),
    token: randomBytes(32).toString('hex'),
    environment: 'sandbox',
    kind: 'alert',
    payload: Buffer.from('{"aps":{"alert":{"title":"t"},"sound":"default"}}'),
    deadlineMs: clock.monotonicMs() + 5000,
    ...overrides,
  };
}

/** A provider and the fake it talks to. */
export interface Rig {
  readonly apns: FakeApns;
  readonly provider: ApnsProvider;
  readonly clock: Clock;
  readonly log: Lines;
  /** Sends a push; everything but the overrides is made up. */
  send(overrides?: Partial<ApnsNotification>): Promise<PushOutcome>;
  /** Opens the connection and has a push accepted on it, so that its stream limit is known. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly clock?: Clock;
  readonly fake?: FakeApnsOptions;
  readonly provider?: Partial<ApnsOptions>;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { clock = systemClock } = options;
  const apns = await startFakeApns({
    keys: [KEY],
    topics: [BUNDLE_ID],
    now: () => clock.epochMs(),
    certificate: await loopbackCertificate(),
    ...options.fake,
  });
  const log = new Lines();
  const provider = makeProvider(apns.url, apns.caPem, { clock, logger: log, ...options.provider });
  const send = (overrides: Partial<ApnsNotification> = {}): Promise<PushOutcome> =>
    provider.send(makeNotification(clock, overrides));
  return {
    apns,
    provider,
    clock,
    log,
    send,
    async warmUp() {
      const outcome = await send();
      if (outcome.kind !== 'accepted') throw new Error(`warm-up: ${JSON.stringify(outcome)}`);
    },
    async close() {
      await provider.close();
      await apns.close();
    },
  };
}
