import {
  type Clock,
  describeValue,
  type Logger,
  type OptionFault,
  resolveHost,
  resolveListenFd,
  resolvePort,
  resolveTrustProxy,
  silentLogger,
  systemClock,
} from '@openchambery/daemon';
import { type ApnsOptions, resolveApnsOptions } from './apns-options.ts';
import { type FcmOptions, resolveFcmOptions } from './fcm-options.ts';
import { type PushLimits, resolvePushLimits } from './limits.ts';
import { PushOptionError } from './push-option-error.ts';

/** What a push relay can be told; only the key, its id and its team have no default. */
export interface PushOptions {
  /** Address or name to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** TCP port; 0 means any free one. @default 8788 */
  readonly port?: number | undefined;
  /**
   * A listening TCP socket that this process has inherited, for example from systemd, as its file descriptor; `host`
   * and `port` are ignored. When the push relay closes, whoever connects waits there for the next process.
   * @default undefined
   */
  readonly listenFd?: number | undefined;
  /** Whether a single address in `X-Forwarded-For` is the client's. @default false */
  readonly trustProxy?: boolean | undefined;
  /** The SQLite file of bindings and replay marks; its folder is created. @default './data/push-relay.sqlite' */
  readonly databasePath?: string | undefined;
  /** The id of the APNs signing key. */
  readonly apnsKeyId?: string | undefined;
  /** The id of the developer team that owns the key. */
  readonly apnsTeamId?: string | undefined;
  /** The app's bundle ID, which is the topic of its pushes. @default 'com.yee94.openchamber' */
  readonly apnsBundleId?: string | undefined;
  /** The APNs signing key, a `.p8`: PKCS#8 in PEM; `\n` may stand for a line break. */
  readonly apnsP8?: string | undefined;
  /** @default 'https://api.push.apple.com' */
  readonly apnsProductionUrl?: string | undefined;
  /** @default 'https://api.sandbox.push.apple.com' */
  readonly apnsSandboxUrl?: string | undefined;
  /**
   * A service account of the app's Firebase project, as the JSON that Google hands out; with it Android's tokens are
   * served. @default undefined
   */
  readonly fcmServiceAccountJson?: string | undefined;
  /** @default 'https://fcm.googleapis.com' */
  readonly fcmUrl?: string | undefined;
  /** Where access tokens for FCM come from. @default what the service account names */
  readonly fcmTokenUrl?: string | undefined;
  /** Limits that differ from the defaults of {@link PUSH_LIMITS}. @default {} */
  readonly limits?: Partial<PushLimits> | undefined;
  /** Time and timers. @default systemClock */
  readonly clock?: Clock | undefined;
  /** Where the push relay reports to. @default silentLogger */
  readonly logger?: Logger | undefined;
}

/** Checked options with every default filled in. */
export interface ResolvedPushOptions extends ApnsOptions, FcmOptions {
  readonly host: string;
  readonly port: number;
  readonly listenFd: number | undefined;
  readonly trustProxy: boolean;
  readonly databasePath: string;
  readonly limits: PushLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The defaults that are not limits. */
export const PUSH_DEFAULTS: Readonly<{
  host: string;
  port: number;
  trustProxy: boolean;
  databasePath: string;
  apnsBundleId: string;
  apnsProductionUrl: string;
  apnsSandboxUrl: string;
  fcmUrl: string;
}> = Object.freeze({
  host: '127.0.0.1',
  port: 8788,
  trustProxy: false,
  databasePath: './data/push-relay.sqlite',
  apnsBundleId: 'com.yee94.openchamber',
  apnsProductionUrl: 'https://api.push.apple.com',
  apnsSandboxUrl: 'https://api.sandbox.push.apple.com',
  fcmUrl: 'https://fcm.googleapis.com',
});

/**
 * Checks options and fills in the defaults.
 * @throws {PushOptionError} for the first option that is not usable.
 */
export function resolvePushOptions(options: PushOptions): ResolvedPushOptions {
  const given = { ...PUSH_DEFAULTS, ...withoutUndefined(options) };
  return {
    host: resolveHost(given.host, createError),
    port: resolvePort(given.port, createError),
    listenFd: resolveListenFd(given.listenFd, createError),
    trustProxy: resolveTrustProxy(given.trustProxy, createError),
    databasePath: resolveDatabasePath(given.databasePath),
    limits: resolvePushLimits(options.limits),
    ...resolveApnsOptions(given),
    ...resolveFcmOptions(given),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
  };
}

function createError(fault: OptionFault): PushOptionError {
  return new PushOptionError(fault);
}

/** `undefined` is how optional parameters say "not given"; it must not hide a default. */
function withoutUndefined(options: PushOptions): {
  [Name in keyof PushOptions]?: Exclude<PushOptions[Name], undefined>;
} {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function resolveDatabasePath(path: string): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return path;
  throw createError({ option: 'databasePath', expected: 'a path of a file', got: describeValue(path) });
}
