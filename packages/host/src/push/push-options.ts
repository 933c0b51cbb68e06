import type { HostIdentity } from '@openchambery/protocol';
import { systemClock, type Clock } from '@openchambery/tunnel';
import { describeValue, HostOptionError } from '../host-option-error.ts';
import type { HostKeys } from '../identity/host-keys.ts';
import { resolveRelayUrl } from '../relay/relay-url.ts';
import { createMemoryRegistry, type PushRegistry } from './push-registry.ts';
import type { PushEnvironment } from './push-requests.ts';
import type { PushFetch } from './push-transport.ts';
import { deriveSendUrl, resolveSendUrl } from './push-url.ts';

/** What a push client is made of. */
export interface PushClientOptions {
  /** The Host's relay, `ws:` or `wss:`, on whose host push is looked for. */
  readonly relayUrl: string | URL;
  /** Whose phones they are; only the signing key is used. */
  readonly identity: Pick<HostKeys, 'signing'>;
  /** @default 'sandbox' */
  readonly environment?: PushEnvironment | undefined;
  /** Where sends go, in place of the relay's host. @default `/v1/push/send` there */
  readonly url?: string | URL | undefined;
  /** Makes every call a failure of the kind `disabled`. @default false */
  readonly isDisabled?: boolean | undefined;
  /** Where tokens are remembered. @default in memory */
  readonly registry?: PushRegistry | undefined;
  /** Hears of each token that turned out dead, after it was forgotten. */
  readonly onTokenDropped?: ((token: string) => void) | undefined;
  /** How long one request may take, in ms. @default 15000 */
  readonly timeoutMs?: number | undefined;
  /** Makes requests. @default the platform's */
  readonly fetch?: PushFetch | undefined;
  readonly clock?: Clock | undefined;
}

/** Checked options with every default filled in. */
export interface ResolvedPushClientOptions {
  readonly url: string;
  readonly identity: HostIdentity;
  readonly environment: PushEnvironment;
  readonly isDisabled: boolean;
  readonly registry: PushRegistry;
  readonly onTokenDropped: (token: string) => void;
  readonly timeoutMs: number;
  readonly fetch: PushFetch;
  readonly clock: Clock;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_TIMEOUT_MS = 600_000;

/** Checks options and fills in the defaults. @throws {HostOptionError} for the first one that is not usable. */
export function resolvePushOptions(options: PushClientOptions): ResolvedPushClientOptions {
  const relayUrl = resolveRelayUrl(options.relayUrl);
  return {
    url: options.url === undefined ? deriveSendUrl(relayUrl) : resolveSendUrl(options.url, 'url'),
    identity: resolveSigningIdentity(options.identity),
    environment: resolveEnvironment(options.environment ?? 'sandbox'),
    isDisabled: options.isDisabled ?? false,
    registry: options.registry ?? createMemoryRegistry(),
    onTokenDropped: options.onTokenDropped ?? (() => undefined),
    timeoutMs: resolveTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    clock: options.clock ?? systemClock,
  };
}

function resolveSigningIdentity(identity: Pick<HostKeys, 'signing'>): HostIdentity {
  const keys: Partial<Pick<HostKeys, 'signing'>> | undefined = identity;
  if (keys?.signing?.privateKey !== undefined) return keys.signing;
  throw new HostOptionError({
    option: 'identity',
    expected: 'the keys that createHostKeys or loadHostKeys gives',
    got: describeValue(identity),
  });
}

function resolveEnvironment(environment: PushEnvironment): PushEnvironment {
  if (environment === 'sandbox' || environment === 'production') return environment;
  throw new HostOptionError({
    option: 'environment',
    expected: 'sandbox or production',
    got: describeValue(environment),
  });
}

function resolveTimeout(timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new HostOptionError({
    option: 'timeoutMs',
    expected: `an integer from 1 to ${MAX_TIMEOUT_MS}`,
    got: describeValue(timeoutMs),
  });
}
