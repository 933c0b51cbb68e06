import { limitNames, toVariableName } from '@openchambery/daemon';
import type { LimitTable } from '@openchambery/daemon';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS } from './settings.ts';
import type { Setting } from './settings.ts';

/** The settings of a daemon's listener. */
export type ListenerOption = 'host' | 'port' | 'trustProxy';

/** What the listener's settings are when nobody sets them. */
export interface ListenerDefaults {
  readonly host: string;
  readonly port: number;
  readonly trustProxy: boolean;
}

/** The settings that every daemon has for its listener, by option. */
export function listenerSettings(
  prefix: string,
  defaults: ListenerDefaults,
): Readonly<Record<ListenerOption, Setting<ListenerOption>>> {
  return {
    host: {
      option: 'host',
      flag: '--host',
      argument: '<address>',
      variable: `${prefix}HOST`,
      defaultText: defaults.host,
      unit: '',
      meaning: 'address or name to listen on; IPv6 without brackets',
    },
    port: {
      option: 'port',
      flag: '--port',
      argument: '<number>',
      variable: `${prefix}PORT`,
      defaultText: String(defaults.port),
      unit: '',
      meaning: 'TCP port to listen on, 1 to 65535',
    },
    trustProxy: {
      option: 'trustProxy',
      flag: '--trust-proxy',
      variable: `${prefix}TRUST_PROXY`,
      defaultText: String(defaults.trustProxy),
      unit: '',
      meaning: 'take the client address from X-Forwarded-For',
    },
  };
}

/** How much every daemon logs. */
export function logLevelSetting(prefix: string): Setting<'logLevel'> {
  return {
    option: 'logLevel',
    variable: `${prefix}LOG_LEVEL`,
    defaultText: DEFAULT_LOG_LEVEL,
    unit: '',
    meaning: `least severe log line on stderr: ${LOG_LEVELS.join(', ')}`,
  };
}

/** The limits of a library as settings, in the order of its table. */
export function limitSettings<Name extends string>(
  prefix: string,
  table: LimitTable<Name>,
): readonly Setting<Name>[] {
  return limitNames(table).map((option) => ({
    option,
    variable: `${prefix}${toVariableName(option)}`,
    defaultText: String(table[option].default),
    unit: table[option].unit,
    meaning: table[option].meaning,
  }));
}
