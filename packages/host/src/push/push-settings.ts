import { describeValue, HostOptionError } from '../host-option-error.ts';
import { resolveRelayUrl } from '../relay/relay-url.ts';
import type { PushEnvironment } from './push-requests.ts';
import { resolveSendUrl } from './push-url.ts';

/** What a Host's environment says of its relay and of push. */
export interface PushSettings {
  /** `OPENCHAMBER_RELAY_URL`, which pins the relay. */
  readonly relayUrl: string | undefined;
  /** `OPENCHAMBER_PUSH_RELAY_URL`: where sends go. Not looked at when push is off. */
  readonly url: string | undefined;
  /** `OPENCHAMBER_PUSH_RELAY_DISABLED`. @default false */
  readonly isDisabled: boolean;
  /** `OPENCHAMBER_APNS_ENVIRONMENT`. @default 'sandbox' */
  readonly environment: PushEnvironment;
}

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The texts of booleans. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Reads the variables of the contract; a blank one counts as unset.
 * @throws {HostOptionError} whose `option` is the variable.
 */
export function pushSettingsFromEnvironment(env: Environment): PushSettings {
  const isDisabled = readBoolean(env, 'OPENCHAMBER_PUSH_RELAY_DISABLED');
  const relayUrl = readText(env, 'OPENCHAMBER_RELAY_URL');
  const url = isDisabled ? undefined : readText(env, 'OPENCHAMBER_PUSH_RELAY_URL');
  return {
    relayUrl: relayUrl === undefined ? undefined : resolveRelayUrl(relayUrl, 'OPENCHAMBER_RELAY_URL'),
    url: url === undefined ? undefined : resolveSendUrl(url, 'OPENCHAMBER_PUSH_RELAY_URL'),
    isDisabled,
    environment: readEnvironment(env, 'OPENCHAMBER_APNS_ENVIRONMENT'),
  };
}

function readText(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function readBoolean(env: Environment, name: string): boolean {
  const text = readText(env, name);
  if (text === undefined) return false;
  const value = BOOLEANS.get(text);
  if (value !== undefined) return value;
  throw new HostOptionError({ option: name, expected: 'true, 1, false or 0', got: describeValue(text) });
}

function readEnvironment(env: Environment, name: string): PushEnvironment {
  const value = readText(env, name) ?? 'sandbox';
  if (value === 'sandbox' || value === 'production') return value;
  throw new HostOptionError({ option: name, expected: 'sandbox or production', got: describeValue(value) });
}
