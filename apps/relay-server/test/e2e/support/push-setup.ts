import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeApnsKey, makeLoopbackCertificate, startFakeApns, startPush } from '@openchambery/testkit';
import type {
  ApnsKey,
  FakeApns,
  FakeApnsOptions,
  PushProcess,
  StartPushOptions,
} from '@openchambery/testkit';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { SentSecrets } from './push-secrets.ts';

export const BUNDLE_ID = 'com.yee94.openchamber';

/** Limits out of the way of tests that are about something else and share one process. */
const roomyPush: Readonly<Record<string, string | number>> = {
  REGISTER_LIMIT_PER_MINUTE: 100_000,
  SEND_LIMIT_PER_MINUTE: 100_000,
  SERVER_SEND_LIMIT_PER_MINUTE: 100_000,
  MAX_REPLAY_ENTRIES: 1_000_000,
  LOG_LEVEL: 'trace',
};

/** A push relay between a test and two services that behave like Apple's. */
export interface PushSetup {
  readonly push: PushProcess;
  readonly sandbox: FakeApns;
  readonly production: FakeApns;
  readonly key: ApnsKey;
  readonly databasePath: string;
  /** What went to the process and must not come out in its log. */
  readonly sent: SentSecrets;
}

export interface PushSetupOptions extends StartPushOptions {
  /** For both services. */
  readonly apns?: FakeApnsOptions;
  /** Prepares the database before the first start. */
  readonly prepare?: (databasePath: string) => void;
}

/** The services, a key and a folder, before a process uses them. */
export interface PushSurroundings extends Omit<PushSetup, 'push'> {
  /** How the command is started among them. */
  readonly startOptions: StartPushOptions;
  close(): Promise<void>;
}

/** Starts the services. They check provider tokens, headers and payloads as Apple does. */
export async function openSurroundings(options: PushSetupOptions = {}): Promise<PushSurroundings> {
  const { apns = {}, prepare, ...startOptions } = options;
  const key = makeApnsKey();
  const certificate = await makeLoopbackCertificate();
  const fake = { keys: [key], topics: [BUNDLE_ID], certificate, ...apns };
  const [sandbox, production] = await Promise.all([startFakeApns(fake), startFakeApns(fake)]);
  const folder = await mkdtemp(join(tmpdir(), 'push-e2e-'));
  const databasePath = join(folder, 'data', 'push.sqlite');
  prepare?.(databasePath);
  const sent = new SentSecrets();
  sent.addKey(key.p8);
  return {
    sandbox,
    production,
    key,
    databasePath,
    sent,
    startOptions: {
      ...startOptions,
      limits: {
        ...roomyPush,
        APNS_KEY_ID: key.keyId,
        APNS_TEAM_ID: key.teamId,
        APNS_P8: key.p8,
        APNS_SANDBOX_URL: sandbox.url,
        APNS_PRODUCTION_URL: production.url,
        DATABASE_PATH: databasePath,
        ...startOptions.limits,
      },
      env: { NODE_EXTRA_CA_CERTS: sandbox.caFile, ...startOptions.env },
    },
    close: async () => {
      await Promise.all([sandbox.close(), production.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the process, and checks that it had not crashed and has not told what it must not. */
async function finish({ push, sent }: PushSetup): Promise<void> {
  await push.stop();
  expect(sent.foundIn(push.stderr()), `a secret is in the log: ${push.stderr()}`).toEqual([]);
  expect(sent.foundIn(push.stdout()), `a secret is on stdout: ${push.stdout()}`).toEqual([]);
}

/** One push relay for the tests of the surrounding `describe`. That it has not crashed is checked at the end. */
export function usePush(options: PushSetupOptions = {}): PushSetup {
  let surroundings: PushSurroundings | undefined;
  let setup: PushSetup | undefined;
  let hasExited = false;
  beforeAll(async () => {
    surroundings = await openSurroundings(options);
    const push = await startPush(surroundings.startOptions);
    setup = { ...surroundings, push };
    void push.exited.finally(() => (hasExited = true));
  });
  afterAll(async () => {
    const crashed = hasExited;
    try {
      if (setup !== undefined) await finish(setup);
    } finally {
      await surroundings?.close();
    }
    expect(crashed, `the push relay ended during the tests: ${setup?.push.stderr()}`).toBe(false);
  });
  // The process exists from beforeAll on; the tests of the block want to name it before that.
  return new Proxy({} as PushSetup, {
    get: (_target, key) => {
      if (setup === undefined) throw new Error('the push relay runs inside tests and hooks only');
      return Reflect.get(setup, key) as unknown;
    },
  });
}

/** Tests that run at the same time have to say which of them is the current one. */
export interface OwnOptions {
  readonly onTestFinished?: typeof onTestFinished;
}

/** Services for the current test alone, without a process. */
export async function ownSurroundings(
  options: PushSetupOptions & OwnOptions = {},
): Promise<PushSurroundings> {
  const { onTestFinished: whenFinished = onTestFinished, ...rest } = options;
  const surroundings = await openSurroundings(rest);
  whenFinished(() => surroundings.close());
  return surroundings;
}

/** Starts a process among services, for the current test; as often as one likes, one after the other. */
export async function startAmong(
  surroundings: PushSurroundings,
  options: StartPushOptions & OwnOptions = {},
): Promise<PushSetup> {
  const { onTestFinished: whenFinished = onTestFinished, ...rest } = options;
  const base = surroundings.startOptions;
  const push = await startPush({ ...base, ...rest, limits: { ...base.limits, ...rest.limits } });
  const setup = { ...surroundings, push };
  whenFinished(() => finish(setup));
  return setup;
}

/** A push relay for the current test alone. */
export async function ownPush(options: PushSetupOptions & OwnOptions = {}): Promise<PushSetup> {
  const { onTestFinished: whenFinished = onTestFinished } = options;
  return startAmong(await ownSurroundings(options), { onTestFinished: whenFinished });
}
