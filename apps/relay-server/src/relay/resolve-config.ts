import { RELAY_LIMITS, RelayOptionError, resolveRelayOptions } from '@openchambery/relay';
import type { RelayLimitName, RelayLimits } from '@openchambery/relay';
import { parseAnyText, parseBoolean, parseIntegerFrom, parseOneOf } from '../config/parse-value.ts';
import { SettingReader } from '../config/setting-reader.ts';
import type { SettingSource } from '../config/setting-source.ts';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS } from '../config/settings.ts';
import type { LogLevel } from '../config/settings.ts';
import { RELAY_SETTINGS } from './settings.ts';
import type { RelayOption } from './settings.ts';

/** Everything the relay is told, checked. */
export interface RelayConfig {
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
export function resolveRelayConfig(source: SettingSource<RelayOption>): RelayConfig {
  const settings = new SettingReader(RELAY_SETTINGS.settings, source);
  const given = {
    host: settings.read('host', parseAnyText),
    // Stricter than the library, where 0 means any free port: an operator has to know the port.
    port: settings.read('port', parseIntegerFrom(1, 65_535)),
    path: settings.read('path', parseAnyText),
    publicUrl: settings.read('publicUrl', parseAnyText),
    trustProxy: settings.read('trustProxy', parseBoolean),
    limits: settings.readLimits<RelayLimitName>(RELAY_LIMITS),
  };
  const logLevel = settings.read('logLevel', parseOneOf(LOG_LEVELS)) ?? DEFAULT_LOG_LEVEL;
  try {
    const { host, port, path, publicUrl, trustProxy, limits } = resolveRelayOptions(given);
    return { host, port, path, publicUrl, trustProxy, limits, logLevel };
  } catch (error) {
    throw error instanceof RelayOptionError ? settings.inOperatorTerms(error) : error;
  }
}
