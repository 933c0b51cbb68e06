import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  delay,
  makeApnsKey,
  makeLoopbackCertificate,
  makeServiceAccount,
  PUSH_PREFIX,
  RELAY_PREFIX,
  startFakeApns,
  startFakeFcm,
  startPush,
  startRelay,
} from '@openchambery/testkit';
import type { DaemonProcess, FakeApns, FakeFcm } from '@openchambery/testkit';

/** Which of the commands serves push. */
export type Mode = 'standalone' | 'combined';

/** A running command with push, and the services it sends to. */
export interface Target {
  readonly mode: Mode;
  readonly process: DaemonProcess;
  readonly services: readonly (FakeApns | FakeFcm)[];
  /** What it holds and must not tell: the lines of its own keys. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** Limits out of the way; what is remembered for a while is forgotten soon, or memory could not come back. */
const PUSH_LIMITS = {
  LOG_LEVEL: 'trace',
  REGISTER_LIMIT_PER_MINUTE: 1_000_000,
  SEND_LIMIT_PER_MINUTE: 1_000_000,
  SERVER_SEND_LIMIT_PER_MINUTE: 1_000_000,
  MAX_REPLAY_ENTRIES: 1_000_000,
  MAX_TOKENS: 1_000_000,
  MAX_IN_FLIGHT: 1000,
  TIMESTAMP_SKEW_MS: 20_000,
  REPLAY_MS: 40_000,
};

/** Services that have just misbehaved may have connections that do not end; nobody needs them any more. In ms. */
const CLOSE_MS = 5000;

const RELAY_LIMITS = {
  LOG_LEVEL: 'trace',
  MAX_ADMISSIONS_PER_IP: 100_000,
  MAX_ADMISSION_ENTRIES: 100_000,
};

/** Starts the installed command between services that accept everything until they are told otherwise. */
export async function startTarget(mode: Mode): Promise<Target> {
  const key = makeApnsKey();
  const certificate = await makeLoopbackCertificate();
  // Nothing is recorded, and headers and provider tokens are other tests' affair.
  const fake = { certificate, recordLimit: 0 };
  const account = makeServiceAccount();
  const [sandbox, production, fcm] = await Promise.all([
    startFakeApns(fake),
    startFakeApns(fake),
    startFakeFcm({ ...fake, account }),
  ]);
  const services = [sandbox, production, fcm];
  const folder = await mkdtemp(join(tmpdir(), 'push-fuzz-'));
  const close = async (): Promise<void> => {
    await Promise.race([Promise.all(services.map((service) => service.close())), delay(CLOSE_MS)]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const settings = {
      ...PUSH_LIMITS,
      APNS_KEY_ID: key.keyId,
      APNS_TEAM_ID: key.teamId,
      APNS_P8: key.p8,
      APNS_SANDBOX_URL: sandbox.url,
      APNS_PRODUCTION_URL: production.url,
      FCM_SERVICE_ACCOUNT_JSON: account.json,
      FCM_URL: fcm.url,
      FCM_TOKEN_URL: fcm.tokenEndpoint.url,
      DATABASE_PATH: join(folder, 'push.sqlite'),
    };
    const process = await start(mode, settings, sandbox.caFile);
    return {
      mode,
      process,
      services,
      secrets: [...linesOf(key.p8), ...linesOf(privateKeyOf(account.json))],
      close: async () => {
        await process.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function linesOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}

function privateKeyOf(json: string): string {
  return String((JSON.parse(json) as Readonly<Record<string, unknown>>)['private_key']);
}

function start(
  mode: Mode,
  settings: Readonly<Record<string, string | number>>,
  caFile: string,
): Promise<DaemonProcess> {
  const env: Record<string, string> = { NODE_EXTRA_CA_CERTS: caFile };
  for (const [name, value] of Object.entries(settings)) env[PUSH_PREFIX + name] = String(value);
  if (mode === 'standalone') return startPush({ env });
  for (const [name, value] of Object.entries(RELAY_LIMITS)) env[RELAY_PREFIX + name] = String(value);
  return startRelay({ env });
}
