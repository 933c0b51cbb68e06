import { describeValue } from '@openchambery/daemon';
import { RELAY_LIMIT_NAMES, RELAY_LIMITS, RelayOptionError, resolveRelayOptions } from '@openchambery/relay';
import type { RelayLimits } from '@openchambery/relay';
import { ConfigError } from './config-error.ts';
import { parseAnyText, parseBoolean, parseIntegerFrom, parseOneOf } from './parse-value.ts';
import type { ParseText } from './parse-value.ts';
import type { SettingSource } from './setting-source.ts';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS, SETTINGS, variableOf } from './settings.ts';
import type { LogLevel, SettingOption } from './settings.ts';

/** Everything the relay is told, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly limits: RelayLimits;
  readonly logLevel: LogLevel;
}

/**
 * Reads and checks every setting.
 * @throws {ConfigError} for the first one that is not usable.
 */
export function resolveConfig(source: SettingSource): Config {
  const given = {
    host: read(source, 'host', parseAnyText),
    // Stricter than the library, where 0 means any free port: an operator has to know the port.
    port: read(source, 'port', parseIntegerFrom(1, 65_535)),
    path: read(source, 'path', parseAnyText),
    publicUrl: read(source, 'publicUrl', parseAnyText),
    trustProxy: read(source, 'trustProxy', parseBoolean),
    limits: readLimits(source),
  };
  const logLevel = read(source, 'logLevel', parseOneOf(LOG_LEVELS)) ?? DEFAULT_LOG_LEVEL;
  try {
    const { host, port, path, publicUrl, trustProxy, limits } = resolveRelayOptions(given);
    return { host, port, path, publicUrl, trustProxy, limits, logLevel };
  } catch (error) {
    throw error instanceof RelayOptionError ? inOperatorTerms(error, source) : error;
  }
}

function readLimits(source: SettingSource): Partial<RelayLimits> {
  const entries = RELAY_LIMIT_NAMES.flatMap((name) => {
    const { min, max } = RELAY_LIMITS[name];
    const value = read(source, name, parseIntegerFrom(min, max));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function read<T>(source: SettingSource, option: SettingOption, parse: ParseText<T>): T | undefined {
  const given = source(option);
  if (given === undefined) {
    return undefined;
  }
  const parsed = given.text === undefined ? { expected: 'a value' } : parse(given.text);
  if ('expected' in parsed) {
    throw invalid(given.name, parsed.expected, echo(given.text));
  }
  return parsed.value;
}

/** The library names its options; an operator knows flags and variables. */
function inOperatorTerms(error: RelayOptionError, source: SettingSource): ConfigError {
  const option = SETTINGS.find((setting) => setting.option === error.option)?.option;
  if (option === undefined) {
    return new ConfigError(error.message, { cause: error });
  }
  const given = source(option);
  const got = given === undefined ? `${error.got} (the default)` : echo(given.text);
  return invalid(given?.name ?? variableOf(option), expectedInOperatorTerms(error, source), got);
}

function expectedInOperatorTerms(error: RelayOptionError, source: SettingSource): string {
  const related = SETTINGS.find((setting) => setting.option === error.related)?.option;
  if (related === undefined) {
    return error.expected;
  }
  // Cross-checks say `relatedOption (its value)`.
  const name = source(related)?.name ?? variableOf(related);
  return error.expected.replace(`${related} (`, () => `${name} (`);
}

function echo(text: string | undefined): string {
  return text === undefined ? 'none' : describeValue(text);
}

function invalid(name: string, expected: string, got: string): ConfigError {
  return new ConfigError(`Invalid ${name}: expected ${expected}, got ${got}`);
}
