import { randomBytes } from 'node:crypto';
import {
  describeValue,
  type Logger,
  type Mount,
  type OptionFault,
  resolveHost,
  resolveListenFd,
  resolvePort,
  resolveTrustProxy,
  silentLogger,
} from '@openchambery/daemon';
import { systemClock } from '@openchambery/wire';
import type { Clock } from '@openchambery/wire';
import { resolveLimits } from './limits.ts';
import type { RelayLimits } from './limits.ts';
import { RelayOptionError } from './relay-option-error.ts';

/** What a relay can be told; everything is optional. */
export interface RelayServerOptions {
  /** Address or name to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** TCP port; 0 means any free one. @default 8787 */
  readonly port?: number | undefined;
  /**
   * A listening TCP socket that this process has inherited, for example from systemd, as its file descriptor; `host`
   * and `port` are ignored. When the relay closes, whoever connects waits there for the next process.
   * @default undefined
   */
  readonly listenFd?: number | undefined;
  /** The request path of upgrades, compared byte for byte. @default '/ws' */
  readonly path?: string | undefined;
  /** The `ws:` or `wss:` URL under which peers reach the relay; for display only. @default undefined */
  readonly publicUrl?: string | undefined;
  /** Whether a single address in `X-Forwarded-For` is the client's. @default false */
  readonly trustProxy?: boolean | undefined;
  /** Limits that differ from the defaults of {@link RELAY_LIMITS}. @default {} */
  readonly limits?: Partial<RelayLimits> | undefined;
  /** Time and timers. @default systemClock */
  readonly clock?: Clock | undefined;
  /** Source of connection ids; returns `size` fresh bytes. @default randomBytes of node:crypto */
  readonly randomBytes?: ((size: number) => Buffer) | undefined;
  /** Where the relay reports to. @default silentLogger */
  readonly logger?: Logger | undefined;
  /** Services that answer plain requests of their own on the relay's port; the first that owns one has it. @default [] */
  readonly mounts?: readonly Mount[] | undefined;
}

/** Checked options with every default filled in. */
export interface ResolvedRelayOptions {
  readonly host: string;
  readonly port: number;
  readonly listenFd: number | undefined;
  readonly path: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly limits: RelayLimits;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Buffer;
  readonly logger: Logger;
  readonly mounts: readonly Mount[];
}

/** The defaults that are not limits. */
export const RELAY_DEFAULTS: Readonly<{ host: string; port: number; path: string; trustProxy: boolean }> =
  Object.freeze({ host: '127.0.0.1', port: 8787, path: '/ws', trustProxy: false });

/**
 * Checks options and fills in the defaults.
 * @throws {RelayOptionError} for the first option that is not usable.
 */
export function resolveRelayOptions(options: RelayServerOptions = {}): ResolvedRelayOptions {
  const path = resolvePath(options.path ?? RELAY_DEFAULTS.path);
  return {
    host: resolveHost(options.host ?? RELAY_DEFAULTS.host, createError),
    port: resolvePort(options.port ?? RELAY_DEFAULTS.port, createError),
    listenFd: resolveListenFd(options.listenFd, createError),
    path,
    publicUrl: options.publicUrl === undefined ? undefined : resolvePublicUrl(options.publicUrl, path),
    trustProxy: resolveTrustProxy(options.trustProxy ?? RELAY_DEFAULTS.trustProxy, createError),
    limits: resolveLimits(options.limits),
    clock: options.clock ?? systemClock,
    randomBytes: options.randomBytes ?? ((size) => randomBytes(size)),
    logger: options.logger ?? silentLogger,
    mounts: resolveMounts(options.mounts ?? []),
  };
}

function createError(fault: OptionFault): RelayOptionError {
  return new RelayOptionError(fault);
}

function isMount(mount: Partial<Mount> | null | undefined): boolean {
  return typeof mount?.owns === 'function' && typeof mount.handle === 'function';
}

function resolveMounts(mounts: readonly Mount[]): readonly Mount[] {
  if (!Array.isArray(mounts) || !mounts.every(isMount)) {
    throw refuse('mounts', 'an array of objects with the methods owns and handle', mounts);
  }
  return [...mounts];
}

/** Visible ASCII (RFC 5234 VCHAR) without `?` and `#`. */
const PATH_PATTERN = /^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/;
const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

function resolvePath(path: string): string {
  if (typeof path !== 'string' || !PATH_PATTERN.test(path)) {
    throw refuse('path', 'a path that starts with "/" in visible ASCII without "?" and "#"', path);
  }
  if (HEALTH_PATHS.includes(path)) {
    throw refuse('path', 'a path other than the health checks /healthz and /readyz', path);
  }
  // URL parsers resolve dot segments and escape some characters, so no client could ever ask for such a path.
  if (!URL.canParse(`ws://relay${path}`) || new URL(`ws://relay${path}`).pathname !== path) {
    throw refuse(
      'path',
      'a path that URL parsers leave as it is (no "." or ".." segment, no \\ " < > ^ ` { })',
      path,
    );
  }
  return path;
}

/** Scheme, authority without userinfo, path. What is left out of the classes is what must not occur. */
const PUBLIC_URL_PATTERN = /^wss?:\/\/[\x21\x24-\x2e\x30-\x3e\x41-\x5b\x5d-\x7e]+(?<path>\/[^?#]*)?$/i;

function resolvePublicUrl(publicUrl: string, path: string): string {
  const match = typeof publicUrl === 'string' ? PUBLIC_URL_PATTERN.exec(publicUrl) : null;
  if (match === null || !URL.canParse(publicUrl)) {
    const expected = 'a ws:// or wss:// URL without user, query and fragment (an IPv6 host in brackets)';
    throw refuse('publicUrl', expected, publicUrl);
  }
  // Compared as text: the relay compares request paths as text too, and URL would normalise first.
  if ((match.groups?.['path'] ?? '/') !== path) {
    throw new RelayOptionError({
      option: 'publicUrl',
      expected: `a URL with the same path as path (${path})`,
      got: describeValue(publicUrl),
      related: 'path',
    });
  }
  return publicUrl;
}

function refuse(option: string, expected: string, got: unknown): RelayOptionError {
  return new RelayOptionError({ option, expected, got: describeValue(got) });
}
