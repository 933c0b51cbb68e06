import { PUSH_LIMITS, PushOptionError, resolvePushOptions } from '@openchambery/push/options';
import type { PushLimitName, PushLimits } from '@openchambery/push/options';
import { ConfigError } from '../config/config-error.ts';
import { parseAnyText, parseBoolean, parseIntegerFrom, parseOneOf } from '../config/parse-value.ts';
import { SettingReader } from '../config/setting-reader.ts';
import type { SettingSource } from '../config/setting-source.ts';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS } from '../config/settings.ts';
import type { LogLevel } from '../config/settings.ts';
import { APNS_PREFIX } from './prefixes.ts';
import { readSecret, withoutQuotes } from './read-secret.ts';
import type { Secret, SecretPlace } from './read-secret.ts';
import { PUSH_SETTINGS } from './settings.ts';
import type { PushOption } from './settings.ts';

/** Everything the push relay is told, checked; `apnsP8` and `fcmServiceAccountJson` are texts, wherever they came from. */
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
  readonly fcmServiceAccountJson: string | undefined;
  readonly fcmUrl: string;
  readonly fcmTokenUrl: string | undefined;
  readonly limits: PushLimits;
  readonly logLevel: LogLevel;
}

/**
 * Reads and checks every setting, and the files of key and account.
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
    fcmUrl: settings.read('fcmUrl', parseAnyText),
    fcmTokenUrl: settings.read('fcmTokenUrl', parseAnyText),
    limits: settings.readLimits<PushLimitName>(PUSH_LIMITS),
  };
  const logLevel = settings.read('logLevel', parseOneOf(LOG_LEVELS)) ?? DEFAULT_LOG_LEVEL;
  const key = readKey(settings);
  const account = readAccount(settings);
  try {
    const {
      clock: _clock,
      logger: _logger,
      listenFd: _listenFd,
      ...options
    } = resolvePushOptions({
      ...given,
      apnsP8: key?.text,
      fcmServiceAccountJson: account?.text,
    });
    return { ...options, logLevel };
  } catch (error) {
    throw error instanceof PushOptionError ? explain(error, { key, account }, settings) : error;
  }
}

const APNS_KEY: SecretPlace = {
  inline: 'apnsP8',
  path: 'apnsP8Path',
  inlineName: 'APNS_P8',
  pathName: 'APNS_P8_PATH',
};

const FCM_ACCOUNT: SecretPlace = {
  inline: 'fcmServiceAccountJson',
  path: 'fcmServiceAccountPath',
  inlineName: 'FCM_SERVICE_ACCOUNT_JSON',
  pathName: 'FCM_SERVICE_ACCOUNT_PATH',
};

function readKey(settings: SettingReader<PushOption>): Secret | undefined {
  const key = readSecret(settings, APNS_KEY);
  return key?.option === APNS_KEY.inline ? { ...key, text: unescapeKey(key.text) } : key;
}

function readAccount(settings: SettingReader<PushOption>): Secret | undefined {
  const account = readSecret(settings, FCM_ACCOUNT);
  // JSON is full of double quotes: only single ones can be around it.
  return account && { ...account, text: account.text.trim().replace(/^'(?<json>\{.*\})'$/su, '$<json>') };
}

/** Env files cannot hold a line end, people write \n or \r\n for it. */
function unescapeKey(text: string): string {
  return withoutQuotes(text).replaceAll(String.raw`\r`, '').replaceAll(String.raw`\n`, '\n');
}

interface Secrets {
  readonly key: Secret | undefined;
  readonly account: Secret | undefined;
}

function explain(
  error: PushOptionError,
  { key, account }: Secrets,
  settings: SettingReader<PushOption>,
): ConfigError {
  switch (error.option) {
    case 'apnsP8':
      if (key !== undefined) return explainSecret(error, key, settings);
      return new ConfigError(
        `Invalid ${APNS_PREFIX}P8: expected ${error.expected} (or its file in ${APNS_PREFIX}P8_PATH), got none`,
      );
    case 'fcmServiceAccountJson':
      return account === undefined
        ? settings.inOperatorTerms(error)
        : explainSecret(error, account, settings);
    default:
      return settings.inOperatorTerms(error);
  }
}

/** The library never quotes a secret; it says what is wrong with it. */
function explainSecret(
  error: PushOptionError,
  { option }: Secret,
  settings: SettingReader<PushOption>,
): ConfigError {
  const isFile = option === APNS_KEY.path || option === FCM_ACCOUNT.path;
  const expected = isFile ? `a file that holds ${error.expected}` : error.expected;
  return settings.invalid(option, expected, error.got.replace('another text: ', ''));
}
