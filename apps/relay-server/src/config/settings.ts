import { toVariableName } from '@openchambery/daemon';
import { RELAY_LIMIT_NAMES, RELAY_LIMITS, resolveRelayOptions } from '@openchambery/relay';
import type { RelayLimitName } from '@openchambery/relay';

/** What every environment variable of the relay starts with. */
export const VARIABLE_PREFIX = 'OPENCHAMBER_RELAY_SERVER_';

/** The settings that are not limits. */
export type PlainOption = 'host' | 'port' | 'path' | 'publicUrl' | 'trustProxy' | 'logLevel';

/** Anything an operator can set to a value. */
export type SettingOption = PlainOption | RelayLimitName;

/** One thing an operator can set: where it can be set, and what `--help` says about it. */
export interface Setting {
  readonly option: SettingOption;
  /** The long flag, where there is one: `--host`. */
  readonly flag?: string;
  /** The placeholder of the flag's value; a flag without one takes no value. */
  readonly argument?: string;
  /** The full name of the environment variable. */
  readonly variable: string;
  /** The value in force when nobody sets one, as text. */
  readonly defaultText: string;
  /** `ms`, `bytes`, `count`, or empty where there is none. */
  readonly unit: string;
  readonly meaning: string;
}

/** A flag that only the command line has. */
export interface Switch {
  readonly name: 'json' | 'quiet' | 'help' | 'version';
  readonly flag: string;
  readonly short?: string;
  readonly meaning: string;
}

/** pino's levels, the most talkative first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level in force when nobody sets one. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'info';

/** The full variable name of an option: `maxHosts` → `OPENCHAMBER_RELAY_SERVER_MAX_HOSTS`. */
export function variableOf(option: SettingOption): string {
  return `${VARIABLE_PREFIX}${toVariableName(option)}`;
}

const defaults = resolveRelayOptions();

const PLAIN_SETTINGS: readonly Setting[] = [
  {
    option: 'host',
    flag: '--host',
    argument: '<address>',
    variable: variableOf('host'),
    defaultText: defaults.host,
    unit: '',
    meaning: 'address or name to listen on; IPv6 without brackets',
  },
  {
    option: 'port',
    flag: '--port',
    argument: '<number>',
    variable: variableOf('port'),
    defaultText: String(defaults.port),
    unit: '',
    meaning: 'TCP port to listen on, 1 to 65535',
  },
  {
    option: 'path',
    flag: '--path',
    argument: '<path>',
    variable: variableOf('path'),
    defaultText: defaults.path,
    unit: '',
    meaning: 'request path of Hosts and Clients',
  },
  {
    option: 'publicUrl',
    flag: '--public-url',
    argument: '<url>',
    variable: variableOf('publicUrl'),
    defaultText: 'unset',
    unit: '',
    meaning: 'ws:// or wss:// URL to show in place of the listening address; same path as --path',
  },
  {
    option: 'trustProxy',
    flag: '--trust-proxy',
    variable: variableOf('trustProxy'),
    defaultText: String(defaults.trustProxy),
    unit: '',
    meaning: 'take the client address from X-Forwarded-For',
  },
  {
    option: 'logLevel',
    variable: variableOf('logLevel'),
    defaultText: DEFAULT_LOG_LEVEL,
    unit: '',
    meaning: `least severe log line on stderr: ${LOG_LEVELS.join(', ')}`,
  },
];

const LIMIT_SETTINGS: readonly Setting[] = RELAY_LIMIT_NAMES.map((option) => ({
  option,
  variable: variableOf(option),
  defaultText: String(RELAY_LIMITS[option].default),
  unit: RELAY_LIMITS[option].unit,
  meaning: RELAY_LIMITS[option].meaning,
}));

/** Every setting: the plain ones, then the limits in the order of the library's table. */
export const SETTINGS: readonly Setting[] = [...PLAIN_SETTINGS, ...LIMIT_SETTINGS];

/** Every flag that is not a setting. */
export const SWITCHES: readonly Switch[] = [
  { name: 'json', flag: '--json', meaning: 'report start-up or its failure as one line of JSON on stdout' },
  { name: 'quiet', flag: '--quiet', short: '-q', meaning: 'no start-up line (the one of --json stays)' },
  { name: 'help', flag: '--help', short: '-h', meaning: 'print this text' },
  { name: 'version', flag: '--version', short: '-v', meaning: 'print the version' },
];
