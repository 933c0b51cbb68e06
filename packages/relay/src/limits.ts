import { RELAY_LIMITS } from './limit-table.ts';
import { describeValue, RelayOptionError } from './option-error.ts';

export { RELAY_LIMITS } from './limit-table.ts';

/** What one limit counts. */
export type LimitUnit = 'bytes' | 'count' | 'ms';

/** One row of the table: everything anybody needs to know about one limit. */
export interface LimitDefinition {
  /** The value in force when nobody sets one. */
  readonly default: number;
  readonly unit: LimitUnit;
  /** The smallest value accepted. */
  readonly min: number;
  /** The largest value accepted. */
  readonly max: number;
  /** One phrase for people: what is bounded, and what happens beyond it where that is not plain. */
  readonly meaning: string;
}

/** The name of one limit: `maxUrlBytes`, `pendingMs`… */
export type RelayLimitName = keyof typeof RELAY_LIMITS;

/** A complete set of limits; bytes, counts and ms as the table says. */
export type RelayLimits = Readonly<Record<RelayLimitName, number>>;

/** All limit names, in the order of the table. */
export const RELAY_LIMIT_NAMES: readonly RelayLimitName[] = Object.keys(RELAY_LIMITS).filter(isLimitName);

/** Tells whether `name` is a limit. */
export function isLimitName(name: string): name is RelayLimitName {
  return Object.hasOwn(RELAY_LIMITS, name);
}

/** `maxUrlBytes` → `MAX_URL_BYTES`: the part of the environment name after the program's prefix. */
export function toVariableName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/**
 * Completes a partial set of limits with the defaults.
 * @throws {RelayOptionError} for an unknown name, a value outside its bounds or two limits that contradict.
 */
export function resolveLimits(given: Partial<RelayLimits> = {}): RelayLimits {
  for (const name of Object.keys(given)) {
    if (!isLimitName(name)) {
      throw new RelayOptionError({
        option: 'limits',
        expected: 'names of RELAY_LIMITS',
        got: describeValue(name),
      });
    }
  }
  const limits = Object.fromEntries(
    RELAY_LIMIT_NAMES.map((name) => [name, resolveLimit(name, given[name])]),
  ) as Record<RelayLimitName, number>;
  checkAgainstEachOther(limits);
  return Object.freeze(limits);
}

function resolveLimit(name: RelayLimitName, value: number | undefined): number {
  const definition: LimitDefinition = RELAY_LIMITS[name];
  if (value === undefined) {
    return definition.default;
  }
  if (!Number.isInteger(value) || value < definition.min || value > definition.max) {
    throw new RelayOptionError({
      option: name,
      expected: `an integer from ${definition.min} to ${definition.max}`,
      got: describeValue(value),
    });
  }
  return value;
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
