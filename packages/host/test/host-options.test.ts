import { expect, test } from 'vitest';
import { createRelayHost } from '../src/create-relay-host.ts';
import { HostOptionError } from '../src/host-option-error.ts';
import type { RelayHostOptions } from '../src/relay-host.ts';
import { createPushClient } from '../src/push/create-push-client.ts';
import { KEYS } from './support/relay-stage.ts';

const GOOD = {
  relayUrl: 'wss://relay.example/ws',
  identity: KEYS,
  handler: () => new Response(),
} satisfies RelayHostOptions;

function refusal(options: object): HostOptionError {
  try {
    createRelayHost({ ...GOOD, ...options });
  } catch (error) {
    if (error instanceof HostOptionError) return error;
    throw error;
  }
  throw new Error('was taken');
}

test.each([
  ['ws://relay.example', 'ws://relay.example/'],
  ['WSS://Relay.Example:443/ws?x=1#y', 'wss://relay.example/ws'],
  [new URL('ws://[::1]:8787/ws'), 'ws://[::1]:8787/ws'],
])('takes the relay URL %s', (relayUrl, expected) => {
  expect(createRelayHost({ ...GOOD, relayUrl }).relayUrl).toBe(expected);
});

test.each([
  ['relayUrl', 'https://relay.example/ws', '"https://relay.example/ws"'],
  ['relayUrl', 'relay.example', '"relay.example"'],
  ['relayUrl', '', '""'],
  ['relayUrl', undefined, 'undefined'],
  ['relayUrl', 'wss://me:hunter2@relay.example/ws', 'a URL with a user'],
  ['relayUrl', 'wss://hunter2@', 'a URL with a user'],
  ['relayUrl', 'x\u202e\n?hunter2', '"x\\u202e\\n"'],
  ['identity', undefined, 'undefined'],
  ['identity', { signing: KEYS.signing }, 'a value of type object'],
  ['maxConnections', 0, '0'],
  ['maxConnections', 65_537, '65537'],
  ['maxConnections', 1.5, '1.5'],
  ['maxConnections', '3', '"3"'],
  ['maxStreamsPerConnection', 0, '0'],
  ['maxStreamsPerConnection', Number.NaN, 'NaN'],
])('refuses %s %j', (option, value, got) => {
  const error = refusal({ [option]: value });
  expect(error).toMatchObject({ code: 'ERR_HOST_OPTION', option, got });
  expect(error.message).toBe(`Invalid option ${option}: expected ${error.expected}, got ${got}`);
  expect(error.message).not.toContain('hunter2');
});

test.each([1, 65_536])('takes %i for both limits', (count) => {
  createRelayHost({ ...GOOD, maxConnections: count, maxStreamsPerConnection: count });
});

test('refuses a Host without a target', () => {
  expect(refusal({ handler: undefined }).option).toBe('origin');
});

test.each([
  ['environment', 'prod'],
  ['timeoutMs', 0],
  ['timeoutMs', 600_001],
  ['url', 'ftp://push.example'],
  ['identity', {}],
])('a push client refuses %s %j', (option, value) => {
  const make = (): unknown => createPushClient({ relayUrl: GOOD.relayUrl, identity: KEYS, [option]: value });
  expect(make).toThrow(HostOptionError);
  expect(make).toThrow(`Invalid option ${option}`);
});
