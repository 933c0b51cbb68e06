import { completeLimits, describeValue, limitNames } from '@openchambery/daemon';
import { PUSH_LIMITS } from './limit-table.ts';
import { PushOptionError } from './push-option-error.ts';

/** The name of one limit: `maxTokens`, `replayMs`… */
export type PushLimitName = keyof typeof PUSH_LIMITS;

/** A complete set of limits; counts and ms as the table says. */
export type PushLimits = Readonly<Record<PushLimitName, number>>;

/** All limit names, in the order of the table. */
export const PUSH_LIMIT_NAMES: readonly PushLimitName[] = limitNames(PUSH_LIMITS);

/**
 * Completes a partial set of limits with the defaults.
 * @throws {PushOptionError} for an unknown name, a value outside its bounds or two limits that contradict.
 */
export function resolvePushLimits(given: Partial<PushLimits> = {}): PushLimits {
  const limits = completeLimits<PushLimitName>(PUSH_LIMITS, given, {
    tableName: 'PUSH_LIMITS',
    createError: (fault) => new PushOptionError(fault),
  });
  // A signature stays acceptable for twice the skew.
  if (limits.replayMs < 2 * limits.timestampSkewMs) {
    throw new PushOptionError({
      option: 'replayMs',
      expected: `at least 2 x timestampSkewMs (${2 * limits.timestampSkewMs})`,
      got: describeValue(limits.replayMs),
      related: 'timestampSkewMs',
    });
  }
  return Object.freeze(limits);
}
