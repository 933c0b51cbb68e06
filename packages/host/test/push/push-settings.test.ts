import { expect, test } from 'vitest';
import { HostOptionError } from '../../src/host-option-error.ts';
import { pushSettingsFromEnvironment } from '../../src/push/push-settings.ts';
import { deriveSendUrl, resolveSendUrl, routeUrl } from '../../src/push/push-url.ts';
import { createPushClient } from '../../src/push/create-push-client.ts';
import { KEYS } from '../support/relay-stage.ts';

test.each([
  ['ws://relay.example/ws', 'http://relay.example/v1/push/send'],
  ['wss://relay.example/ws', 'https://relay.example/v1/push/send'],
  ['wss://relay.example:8443/deep/path', 'https://relay.example:8443/v1/push/send'],
  ['ws://[::1]:8787/ws', 'http://[::1]:8787/v1/push/send'],
])('derives where sends go from %s', (relayUrl, sendUrl) => {
  expect(deriveSendUrl(relayUrl)).toBe(sendUrl);
  expect(createPushClient({ relayUrl, identity: KEYS }).url).toBe(sendUrl);
});

test.each([
  ['https://push.example', 'https://push.example/v1/push/send'],
  ['http://127.0.0.1:8788/v1/push/send?x#y', 'http://127.0.0.1:8788/v1/push/send'],
  ['https://push.example/mine/send', 'https://push.example/mine/send'],
])('takes %s', (given, url) => {
  expect(resolveSendUrl(given, 'url')).toBe(url);
});

test('puts the other routes beside the send route', () => {
  const sendUrl = 'https://push.example/mine/send';
  expect(routeUrl(sendUrl, 'send')).toBe(sendUrl);
  expect(routeUrl(sendUrl, 'register-token')).toBe('https://push.example/mine/register-token');
  expect(routeUrl(sendUrl, 'live-activity')).toBe('https://push.example/mine/live-activity');
});

test('reads the variables of the contract', () => {
  expect(pushSettingsFromEnvironment({})).toEqual({
    relayUrl: undefined,
    url: undefined,
    isDisabled: false,
    environment: 'sandbox',
  });
  expect(
    pushSettingsFromEnvironment({
      OPENCHAMBER_RELAY_URL: ' wss://relay.example/ws?x#y ',
      OPENCHAMBER_PUSH_RELAY_URL: 'https://push.example/v1/push/send',
      OPENCHAMBER_PUSH_RELAY_DISABLED: '0',
      OPENCHAMBER_APNS_ENVIRONMENT: 'production',
    }),
  ).toEqual({
    relayUrl: 'wss://relay.example/ws',
    url: 'https://push.example/v1/push/send',
    isDisabled: false,
    environment: 'production',
  });
});

test.each([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
  ['  ', false],
])('takes %j for disabled or not', (text, isDisabled) => {
  expect(pushSettingsFromEnvironment({ OPENCHAMBER_PUSH_RELAY_DISABLED: text }).isDisabled).toBe(isDisabled);
});

test('does not look at the URL of a push relay that is turned off', () => {
  const env = { OPENCHAMBER_PUSH_RELAY_DISABLED: 'true', OPENCHAMBER_PUSH_RELAY_URL: 'nonsense' };
  expect(pushSettingsFromEnvironment(env).url).toBeUndefined();
});

test.each([
  ['OPENCHAMBER_RELAY_URL', 'https://relay.example', 'ws:// or wss://'],
  ['OPENCHAMBER_RELAY_URL', 'wss://me:hunter2@relay.example/ws', 'without a user'],
  ['OPENCHAMBER_PUSH_RELAY_URL', 'wss://push.example', 'http:// or https://'],
  ['OPENCHAMBER_PUSH_RELAY_URL', 'https://me:hunter2@push.example', 'without a user'],
  ['OPENCHAMBER_PUSH_RELAY_DISABLED', 'yes', 'true, 1, false or 0'],
  ['OPENCHAMBER_APNS_ENVIRONMENT', 'Production', 'sandbox or production'],
])('refuses %s=%s and says what is allowed', (name, value, allowed) => {
  const read = (): unknown => pushSettingsFromEnvironment({ [name]: value });
  expect(read).toThrow(HostOptionError);
  expect(read).toThrow(name);
  expect(read).toThrow(allowed);
  expect(read).not.toThrow('hunter2');
});
