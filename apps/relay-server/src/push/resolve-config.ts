import { PUSH_LIMITS, PushOptionError, resolvePushOptions } from '@openchambery/push/options';
import type { PushLimitName, PushLimits } from '@openchambery/push/options';
import { ConfigError } from '../config/config-error.ts';
import { parseAnyText, parseBoolean, parseIntegerFrom, parseOneOf } from '../config/parse-value.ts';
import { SettingReader } from '../config/setting-reader.ts';
import type { SettingSource } from '../config/setting-source.ts';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS } from '../config/settings.ts';
import type { LogLevel } from '../config/settings.ts';
import { APNS_PREFIX } from './prefixes.ts';
import { PUSH_SETTINGS } from './settings.ts';
import type { PushOption } from './settings.ts';
import { readKeyFile } from './read-key-file.ts';

/** Everything the push relay is told, checked; `apnsP8` is the key, wherever it came from. */
export interface PushConfig {
  readonly host: string;
  readonly port: number;
  readonly trustProxy: boolean;
  readonly databasePath: string;
  readonly apnsKeyId: string;
  readonly apnsTeamId: string;
  readonly apnsBundleId: string;
  readonly apnsP8: string;
  readonly apnsProductionUrl: string;
  readonly apnsSandboxUrl: string;
  readonly limits: PushLimits;
  readonly logLevel: LogLevel;
}

/**
 * Reads and checks every setting, and the file of the key.
 * @throws {ConfigError} for the first one that is not usable.
 */
export function resolvePushConfig(source: SettingSource<PushOption>): PushConfig {
  const settings = new SettingReader(PUSH_SETTINGS.settings, source);
  const given = {
    host: settings.read('host', parseAnyText),
    // Stricter than the library, where 0 means any free port: an operator has to know the port.
    port: settings.read('port', parseIntegerFrom(1, 65_535)),
    trustProxy: settings.read('trustProxy', parseBoolean),
    databasePath: settings.read('databasePath', parseAnyText),
    apnsKeyId: settings.read('apnsKeyId', parseAnyText),
    apnsTeamId: settings.read('apnsTeamId', parseAnyText),
    apnsBundleId: settings.read('apnsBundleId', parseAnyText),
    apnsProductionUrl: settings.read('apnsProductionUrl', parseAnyText),
    apnsSandboxUrl: settings.read('apnsSandboxUrl', parseAnyText),
    limits: settings.readLimits<PushLimitName>(PUSH_LIMITS),
  };
  const logLevel = settings.read('logLevel', parseOneOf(LOG_LEVELS)) ?? DEFAULT_LOG_LEVEL;
  const key = readKey(settings);
  try {
    const {
      clock: _clock,
      logger: _logger,
      listenFd: _listenFd,
      ...options
    } = resolvePushOptions({
      ...given,
      apnsP8: key?.text,
    });
    return { ...options, logLevel };
  } catch (error) {
    throw error instanceof PushOptionError ? explain(error, key, settings) : error;
  }
}

/** A key, and the setting it comes from. */
interface Key {
  readonly option: 'apnsP8' | 'apnsP8Path';
  readonly text: string;
}

function readKey(settings: SettingReader<PushOption>): Key | undefined {
  const inline = settings.read('apnsP8', parseAnyText);
  const path = settings.read('apnsP8Path', parseAnyText);
  if (inline !== undefined && path !== undefined) {
    throw new ConfigError(
      `Invalid ${APNS_PREFIX}P8_PATH: expected no value beside ${APNS_PREFIX}P8; set one of the two`,
    );
  }
  if (inline !== undefined) {
    return { option: 'apnsP8', text: unescapeKey(inline) };
  }
  if (path === undefined) {
    return undefined;
  }
  const file = readKeyFile(path);
  if ('problem' in file) {
    throw settings.invalid('apnsP8Path', 'a file that can be read', file.problem);
  }
  return { option: 'apnsP8Path', text: file.text };
}

/** Env files cannot hold a line end, people write \n or \r\n for it; and Docker keeps the quotes around a value. */
function unescapeKey(text: string): string {
  const quoted = /^\s*(?<quote>["'])(?<inner>[^"']*)\k<quote>\s*$/u.exec(text);
  const value = quoted?.groups?.['inner'] ?? text;
  return value.replaceAll(String.raw`\r`, '').replaceAll(String.raw`\n`, '\n');
}

function explain(
  error: PushOptionError,
  key: Key | undefined,
  settings: SettingReader<PushOption>,
): ConfigError {
  if (error.option !== 'apnsP8') {
    return settings.inOperatorTerms(error);
  }
  if (key === undefined) {
    const either = `${error.expected} (or its file in ${APNS_PREFIX}P8_PATH)`;
    return new ConfigError(`Invalid ${APNS_PREFIX}P8: expected ${either}, got none`);
  }
  const expected = key.option === 'apnsP8' ? error.expected : `a file that holds ${error.expected}`;
  // The library never quotes the key; it says what is wrong with it.
  return settings.invalid(key.option, expected, error.got.replace('another text: ', ''));
}
