import { completeLimits, describeValue, limitNames } from '@openchambery/daemon';
import { RELAY_LIMITS } from './limit-table.ts';
import { RelayOptionError } from './relay-option-error.ts';

export { RELAY_LIMITS } from './limit-table.ts';

/** The name of one limit: `maxUrlBytes`, `pendingMs`… */
export type RelayLimitName = keyof typeof RELAY_LIMITS;

/** A complete set of limits; bytes, counts and ms as the table says. */
export type RelayLimits = Readonly<Record<RelayLimitName, number>>;

/** All limit names, in the order of the table. */
export const RELAY_LIMIT_NAMES: readonly RelayLimitName[] = limitNames(RELAY_LIMITS);

/** Tells whether `name` is a limit. */
export function isLimitName(name: string): name is RelayLimitName {
  return Object.hasOwn(RELAY_LIMITS, name);
}

/**
 * Completes a partial set of limits with the defaults.
 * @throws {RelayOptionError} for an unknown name, a value outside its bounds or two limits that contradict.
 */
export function resolveLimits(given: Partial<RelayLimits> = {}): RelayLimits {
  const limits = completeLimits<RelayLimitName>(RELAY_LIMITS, given, {
    tableName: 'RELAY_LIMITS',
    createError: (fault) => new RelayOptionError(fault),
  });
  checkAgainstEachOther(limits);
  return Object.freeze(limits);
}

/** A signature stays acceptable for twice the skew; a pending or attached client is a connection. */
function checkAgainstEachOther(limits: RelayLimits): void {
  if (limits.replayMs < 2 * limits.timestampSkewMs) {
    throw new RelayOptionError({
      option: 'replayMs',
      expected: `at least 2 x timestampSkewMs (${2 * limits.timestampSkewMs})`,
      got: describeValue(limits.replayMs),
      related: 'timestampSkewMs',
    });
  }
  for (const name of ['maxPendingClients', 'maxClientsPerHost'] as const) {
    if (limits[name] > limits.maxConnections) {
      throw new RelayOptionError({
        option: name,
        expected: `at most maxConnections (${limits.maxConnections})`,
        got: describeValue(limits[name]),
        related: 'maxConnections',
      });
    }
  }
}
