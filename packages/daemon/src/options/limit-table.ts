import { describeValue, type OptionError, type OptionFault } from './option-error.ts';

/** What one limit counts. */
export type LimitUnit = 'bytes' | 'count' | 'ms';

/** One row of a table of limits: everything anybody needs to know about one limit. */
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

/** Limits by name: `maxUrlBytes`, `pendingMs`… */
export type LimitTable<Name extends string> = Readonly<Record<Name, LimitDefinition>>;

/** `maxUrlBytes` → `MAX_URL_BYTES`: the part of the environment name after the program's prefix. */
export function toVariableName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** All names of a table, in its order. */
export function limitNames<Name extends string>(table: LimitTable<Name>): readonly Name[] {
  // The type says that there are no others.
  return Object.keys(table) as Name[];
}

/** How a library refuses an option. */
export interface LimitRefusal {
  /** Names the table in messages: `RELAY_LIMITS`. */
  readonly tableName: string;
  readonly createError: (fault: OptionFault) => OptionError;
}

/**
 * Completes a partial set of limits with the defaults.
 * @throws {OptionError} for an unknown name or a value outside its bounds.
 */
export function completeLimits<Name extends string>(
  table: LimitTable<Name>,
  given: Partial<Record<Name, number>>,
  { tableName, createError }: LimitRefusal,
): Record<Name, number> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(table, name)) {
      throw createError({ option: 'limits', expected: `names of ${tableName}`, got: describeValue(name) });
    }
  }
  const complete: Partial<Record<Name, number>> = {};
  for (const name of limitNames(table)) {
    const value = given[name] ?? table[name].default;
    const { min, max } = table[name];
    if (!Number.isInteger(value) || value < min || value > max) {
      const expected = `an integer from ${min} to ${max}`;
      throw createError({ option: name, expected, got: describeValue(value) });
    }
    complete[name] = value;
  }
  return complete as Record<Name, number>;
}
