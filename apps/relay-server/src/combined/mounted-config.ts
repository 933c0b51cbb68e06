import { createSettingSource } from '../config/setting-source.ts';
import type { Environment, Given } from '../config/setting-source.ts';
import { resolvePushConfig } from '../push/resolve-config.ts';
import type { PushConfig } from '../push/resolve-config.ts';
import { PUSH_SETTINGS } from '../push/settings.ts';
import type { RelayConfig } from '../relay/resolve-config.ts';
import { RELAY_SETTINGS } from '../relay/settings.ts';

/**
 * Reads the settings of a push relay on the relay's listener (push, section 5): it has no address of its own, and
 * trusts proxies and logs as the relay does unless it is told otherwise.
 * @throws {ConfigError} for the first setting that is not usable.
 */
export function resolveMountedConfig(relay: RelayConfig, env: Environment): PushConfig {
  const own = createSettingSource(PUSH_SETTINGS.settings, { flags: {}, env });
  const fromRelay = (option: 'trustProxy' | 'logLevel'): Given => ({
    name: RELAY_SETTINGS.settings.find((setting) => setting.option === option)?.variable ?? option,
    text: String(relay[option]),
  });
  return resolvePushConfig((option) => {
    switch (option) {
      case 'host':
      case 'port':
        return undefined;
      case 'trustProxy':
      case 'logLevel':
        return own(option) ?? fromRelay(option);
      default:
        return own(option);
    }
  });
}
