import { systemClock, type Clock } from '@openchambery/tunnel';
import { describeValue, HostOptionError } from './host-option-error.ts';
import type { HostKeys } from './identity/host-keys.ts';
import type { RelayHostOptions } from './relay-host.ts';
import { resolveRelayUrl } from './relay/relay-url.ts';

/** The defaults of a Host's limits. */
export const HOST_DEFAULTS: { readonly maxConnections: number; readonly maxStreamsPerConnection: number } = {
  maxConnections: 128,
  maxStreamsPerConnection: 512,
};

const MAX_COUNT = 65_536;

/** Checked options with every default filled in; target and policy are checked where requests are dispatched. */
export interface ResolvedHostOptions {
  readonly relayUrl: string;
  readonly identity: HostKeys;
  readonly maxConnections: number;
  readonly maxStreamsPerConnection: number;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Checks options and fills in the defaults. @throws {HostOptionError} for the first one that is not usable. */
export function resolveHostOptions(options: RelayHostOptions): ResolvedHostOptions {
  return {
    relayUrl: resolveRelayUrl(options.relayUrl),
    identity: resolveIdentity(options.identity),
    maxConnections: resolveCount(options, 'maxConnections'),
    maxStreamsPerConnection: resolveCount(options, 'maxStreamsPerConnection'),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function resolveIdentity(identity: HostKeys): HostKeys {
  const keys: Partial<HostKeys> | undefined = identity;
  if (keys?.signing?.privateKey !== undefined && keys.encryption?.privateKey !== undefined) return identity;
  throw new HostOptionError({
    option: 'identity',
    expected: 'the keys that createHostKeys or loadHostKeys gives',
    got: describeValue(identity),
  });
}

function resolveCount(options: RelayHostOptions, option: keyof typeof HOST_DEFAULTS): number {
  const value = options[option] ?? HOST_DEFAULTS[option];
  if (Number.isInteger(value) && value >= 1 && value <= MAX_COUNT) return value;
  throw new HostOptionError({
    option,
    expected: `an integer from 1 to ${MAX_COUNT}`,
    got: describeValue(value),
  });
}
