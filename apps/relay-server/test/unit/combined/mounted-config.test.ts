import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { resolveMountedConfig } from '../../../src/combined/mounted-config.ts';
import { createSettingSource } from '../../../src/config/setting-source.ts';
import { resolveRelayConfig } from '../../../src/relay/resolve-config.ts';
import type { RelayConfig } from '../../../src/relay/resolve-config.ts';
import { relayProgram } from '../support/programs.ts';

const PREFIX = 'OPENCHAMBER_PUSH_RELAY_';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const NEEDED = {
  APNS_KEY_ID: 'KEY',
  APNS_TEAM_ID: 'TEAM',
  APNS_P8: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
};

function relayConfig(changes: Partial<RelayConfig> = {}): RelayConfig {
  const source = createSettingSource(relayProgram.table.settings, { flags: {}, env: {} });
  return { ...resolveRelayConfig(source), ...changes };
}

function mounted(relay: Partial<RelayConfig>, variables: Readonly<Record<string, string>>) {
  const all = Object.entries({ ...NEEDED, ...variables });
  const env = Object.fromEntries(all.map(([name, value]) => [PREFIX + name, value]));
  return resolveMountedConfig(relayConfig(relay), env);
}

describe('push on the listener of the relay', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { TRUST_PROXY: 'false' }, false],
    [false, { TRUST_PROXY: '1' }, true],
    [true, { TRUST_PROXY: ' ' }, true],
  ])('with a relay that trusts proxies: %j, and %j, trusts them: %j', (trustProxy, variables, expected) => {
    expect(mounted({ trustProxy }, variables).trustProxy).toBe(expected);
  });

  it.each([
    ['warn', {}, 'warn'],
    ['silent', { LOG_LEVEL: 'debug' }, 'debug'],
  ] as const)('with a relay that logs at %s, and %j, logs at %s', (logLevel, variables, expected) => {
    expect(mounted({ logLevel }, variables).logLevel).toBe(expected);
  });

  it('ignores HOST and PORT, good or bad', () => {
    expect(mounted({}, { HOST: '[', PORT: 'no' })).toMatchObject({ host: '127.0.0.1', port: 8788 });
    expect(mounted({}, { HOST: '::1', PORT: '9' })).toMatchObject({ host: '127.0.0.1', port: 8788 });
  });

  it('takes everything else as the push relay does', () => {
    const variables = { DATABASE_PATH: '/x', MAX_TOKENS: '5', APNS_BUNDLE_ID: 'org.example' };
    expect(mounted({}, variables)).toMatchObject({
      databasePath: '/x',
      apnsBundleId: 'org.example',
      limits: { maxTokens: 5 },
    });
  });

  it.each([
    [
      { APNS_TEAM_ID: '' },
      `Invalid ${PREFIX}APNS_TEAM_ID: expected the team's id, letters and digits, got none`,
    ],
    [{ MAX_TOKENS: '0' }, `Invalid ${PREFIX}MAX_TOKENS: expected an integer from 1 to 1000000000, got "0"`],
    [{ TRUST_PROXY: 'maybe' }, `Invalid ${PREFIX}TRUST_PROXY: expected true, 1, false or 0, got "maybe"`],
  ])('refuses %j', (variables, message) => {
    expect(() => mounted({}, variables)).toThrow(message);
  });
});
