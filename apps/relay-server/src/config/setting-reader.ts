import { describeValue, limitNames } from '@openchambery/daemon';
import type { LimitTable, OptionError } from '@openchambery/daemon';
import { ConfigError } from './config-error.ts';
import { parseIntegerFrom } from './parse-value.ts';
import type { ParseText } from './parse-value.ts';
import { carriesKey } from './secret-text.ts';
import type { SettingSource } from './setting-source.ts';
import type { Setting } from './settings.ts';

/** What a library says was wrong with an option that nobody gave and that has no default. */
const NONE = 'none';

/** Reads the settings of one program, and words what is wrong with them in terms of flags and variables. */
export class SettingReader<Option extends string> {
  readonly #settings: readonly Setting<Option>[];
  readonly #source: SettingSource<Option>;

  constructor(settings: readonly Setting<Option>[], source: SettingSource<Option>) {
    this.#settings = settings;
    this.#source = source;
  }

  /**
   * The value of one setting; undefined means the default.
   * @throws {ConfigError} when it does not parse.
   */
  read<T>(option: Option, parse: ParseText<T>): T | undefined {
    const given = this.#source(option);
    if (given === undefined) {
      return undefined;
    }
    const parsed = given.text === undefined ? { expected: 'a value' } : parse(given.text);
    if ('expected' in parsed) {
      throw this.invalid(option, parsed.expected);
    }
    return parsed.value;
  }

  /**
   * The limits that are set.
   * @throws {ConfigError} for one that is no integer within its bounds.
   */
  readLimits<Name extends Option>(table: LimitTable<Name>): Partial<Record<Name, number>> {
    const limits: Partial<Record<Name, number>> = {};
    for (const name of limitNames(table)) {
      const { min, max } = table[name];
      const value = this.read(name, parseIntegerFrom(min, max));
      if (value !== undefined) limits[name] = value;
    }
    return limits;
  }

  /** An error about the value of a setting as it was given; `detail` is what else there is to say. */
  invalid(option: Option, expected: string, detail?: string): ConfigError {
    const { message } = invalid(this.#nameOf(option), expected, this.#echo(option));
    return new ConfigError(detail === undefined ? message : `${message}; ${detail}`);
  }

  /** A library names its options; an operator knows flags and variables. */
  inOperatorTerms(error: OptionError): ConfigError {
    const option = this.#find(error.option);
    if (option === undefined) {
      return new ConfigError(error.message, { cause: error });
    }
    const isDefault = this.#source(option) === undefined;
    const got = error.got === NONE ? NONE : `${error.got} (the default)`;
    return invalid(this.#nameOf(option), this.#expectedOf(error), isDefault ? got : this.#echo(option));
  }

  #expectedOf({ expected, related }: OptionError): string {
    const option = this.#find(related);
    // Cross-checks say `relatedOption (its value)`.
    return option === undefined
      ? expected
      : expected.replace(`${option} (`, () => `${this.#nameOf(option)} (`);
  }

  /** The given value, fit to be printed; undefined where it must not be. */
  #echo(option: Option): string | undefined {
    const text = this.#source(option)?.text;
    if (text === undefined) return NONE;
    const setting = this.#settings.find((each) => each.option === option);
    const isSecret = carriesKey(text) || setting?.isSecret?.(text) === true;
    return isSecret ? undefined : describeValue(text);
  }

  /** Where a setting was set, or could be. */
  #nameOf(option: Option): string {
    const setting = this.#settings.find((each) => each.option === option);
    return this.#source(option)?.name ?? setting?.variable ?? option;
  }

  #find(name: string | undefined): Option | undefined {
    return this.#settings.find((setting) => setting.option === name)?.option;
  }
}

function invalid(name: string, expected: string, got: string | undefined): ConfigError {
  return new ConfigError(`Invalid ${name}: expected ${expected}${got === undefined ? '' : `, got ${got}`}`);
}
