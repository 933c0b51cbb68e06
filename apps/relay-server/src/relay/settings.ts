import { RELAY_LIMITS, resolveRelayOptions } from '@openchambery/relay';
import type { RelayLimitName } from '@openchambery/relay';
import { limitSettings, listenerSettings, logLevelSetting } from '../config/daemon-settings.ts';
import type { ListenerOption } from '../config/daemon-settings.ts';
import type { Setting, SettingTable } from '../config/settings.ts';

/** Anything an operator of the relay can set to a value. */
export type RelayOption = ListenerOption | 'path' | 'publicUrl' | 'logLevel' | RelayLimitName;

const PREFIX = 'OPENCHAMBER_RELAY_SERVER_';

const defaults = resolveRelayOptions();
const listener = listenerSettings(PREFIX, defaults);

const PATH_SETTINGS: readonly Setting<RelayOption>[] = [
  {
    option: 'path',
    flag: '--path',
    argument: '<path>',
    variable: `${PREFIX}PATH`,
    defaultText: defaults.path,
    unit: '',
    meaning: 'request path of Hosts and Clients',
  },
  {
    option: 'publicUrl',
    flag: '--public-url',
    argument: '<url>',
    variable: `${PREFIX}PUBLIC_URL`,
    defaultText: 'unset',
    unit: '',
    meaning: 'ws:// or wss:// URL to show in place of the listening address; same path as --path',
  },
];

/** Every setting of the relay: the plain ones, then the limits in the order of the library's table. */
export const RELAY_SETTINGS: SettingTable<RelayOption> = {
  prefix: PREFIX,
  settings: [
    listener.host,
    listener.port,
    ...PATH_SETTINGS,
    listener.trustProxy,
    logLevelSetting(PREFIX),
    ...limitSettings<RelayLimitName>(PREFIX, RELAY_LIMITS),
  ],
  foreignVariables: [],
};
