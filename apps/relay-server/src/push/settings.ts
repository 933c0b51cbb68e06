import { PUSH_DEFAULTS, PUSH_LIMITS } from '@openchambery/push/options';
import type { PushLimitName } from '@openchambery/push/options';
import { limitSettings, listenerSettings, logLevelSetting } from '../config/daemon-settings.ts';
import type { ListenerOption } from '../config/daemon-settings.ts';
import { mayHoldPassword } from '../config/secret-text.ts';
import type { Setting, SettingTable } from '../config/settings.ts';
import { APNS_PREFIX, FCM_PREFIX, PUSH_PREFIX } from './prefixes.ts';

/** The settings of the push relay that only it has. */
export type OwnPushOption =
  | 'databasePath'
  | 'apnsKeyId'
  | 'apnsTeamId'
  | 'apnsBundleId'
  | 'apnsP8'
  | 'apnsP8Path'
  | 'apnsProductionUrl'
  | 'apnsSandboxUrl'
  | 'fcmServiceAccountJson'
  | 'fcmServiceAccountPath'
  | 'fcmUrl'
  | 'fcmTokenUrl';

/** Anything an operator of the push relay can set to a value. */
export type PushOption = ListenerOption | OwnPushOption | 'logLevel' | PushLimitName;

const listener = listenerSettings(PUSH_PREFIX, PUSH_DEFAULTS);

const OWN_SETTINGS: readonly Setting<PushOption>[] = [
  {
    option: 'databasePath',
    variable: `${PUSH_PREFIX}DATABASE_PATH`,
    defaultText: PUSH_DEFAULTS.databasePath,
    unit: '',
    meaning: 'SQLite file of the token bindings; it and its folder are created',
  },
  {
    option: 'apnsKeyId',
    variable: `${APNS_PREFIX}KEY_ID`,
    defaultText: 'required',
    unit: '',
    meaning: "identifier of Apple's push key, 10 characters",
  },
  {
    option: 'apnsTeamId',
    variable: `${APNS_PREFIX}TEAM_ID`,
    defaultText: 'required',
    unit: '',
    meaning: 'identifier of the team at Apple that the key belongs to, 10 characters',
  },
  {
    option: 'apnsBundleId',
    variable: `${APNS_PREFIX}BUNDLE_ID`,
    defaultText: PUSH_DEFAULTS.apnsBundleId,
    unit: '',
    meaning: 'bundle identifier of the app; the topic of every push',
  },
  {
    option: 'apnsP8',
    variable: `${APNS_PREFIX}P8`,
    defaultText: 'unset',
    unit: '',
    meaning: `the push key itself in PEM, line ends as they are or as \\n; this or ${APNS_PREFIX}P8_PATH is required`,
    isSecret: () => true,
  },
  {
    option: 'apnsP8Path',
    variable: `${APNS_PREFIX}P8_PATH`,
    defaultText: 'unset',
    unit: '',
    meaning: 'file of the push key (AuthKey_*.p8), read once at start-up',
  },
  {
    option: 'apnsProductionUrl',
    variable: `${APNS_PREFIX}PRODUCTION_URL`,
    defaultText: PUSH_DEFAULTS.apnsProductionUrl,
    unit: '',
    meaning: "Apple's service for released apps, or a stand-in for it",
    isSecret: mayHoldPassword,
  },
  {
    option: 'apnsSandboxUrl',
    variable: `${APNS_PREFIX}SANDBOX_URL`,
    defaultText: PUSH_DEFAULTS.apnsSandboxUrl,
    unit: '',
    meaning: "Apple's service for apps in development, or a stand-in for it",
    isSecret: mayHoldPassword,
  },
  {
    option: 'fcmServiceAccountJson',
    variable: `${FCM_PREFIX}SERVICE_ACCOUNT_JSON`,
    defaultText: 'unset',
    unit: '',
    meaning:
      "service account of the app's Firebase project, the JSON itself; with it Android phones are served",
    isSecret: () => true,
  },
  {
    option: 'fcmServiceAccountPath',
    variable: `${FCM_PREFIX}SERVICE_ACCOUNT_PATH`,
    defaultText: 'unset',
    unit: '',
    meaning: 'file of the service account in place of its JSON, read once at start-up',
  },
  {
    option: 'fcmUrl',
    variable: `${FCM_PREFIX}URL`,
    defaultText: PUSH_DEFAULTS.fcmUrl,
    unit: '',
    meaning: "Google's push service, or a stand-in for it",
    isSecret: mayHoldPassword,
  },
  {
    option: 'fcmTokenUrl',
    variable: `${FCM_PREFIX}TOKEN_URL`,
    defaultText: 'unset',
    unit: '',
    meaning: 'where access tokens for FCM come from, in place of what the service account names',
    isSecret: mayHoldPassword,
  },
];

/** Every setting of the push relay: the plain ones, then the limits in the order of the library's table. */
export const PUSH_SETTINGS: SettingTable<PushOption> = {
  prefix: PUSH_PREFIX,
  settings: [
    listener.host,
    listener.port,
    listener.trustProxy,
    logLevelSetting(PUSH_PREFIX),
    ...OWN_SETTINGS,
    ...limitSettings<PushLimitName>(PUSH_PREFIX, PUSH_LIMITS),
  ],
  // A Host reads the first two, the Compose files the third.
  foreignVariables: [`${PUSH_PREFIX}URL`, `${PUSH_PREFIX}DISABLED`, `${APNS_PREFIX}P8_FILE`],
};
