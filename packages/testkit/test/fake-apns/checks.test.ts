import { describe, expect, it } from 'vitest';
import { makeApnsKey } from '../../src/index.ts';
import type { FakeApns, FakeApnsOptions } from '../../src/index.ts';
import { bearer, Client, outcomeOf, start, TOKEN, TOPIC } from './client.ts';
import type { Push } from './client.ts';

const NOW_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const KEY = makeApnsKey();
const GOOD = bearer(KEY, NOW_MS);

interface Desk {
  readonly apns: FakeApns;
  /** `200`, or status and reason. */
  readonly answerTo: (push: Push) => Promise<string>;
  readonly setTime: (ms: number) => void;
}

async function openDesk(options: FakeApnsOptions = {}): Promise<Desk> {
  let nowMs = NOW_MS;
  const apns = await start({ keys: [KEY], topics: [TOPIC], now: () => nowMs, ...options });
  const client = new Client(apns);
  return {
    apns,
    answerTo: async (push) => {
      const { status, body } = await client.push(push);
      const { reason = '' } = (body === '' ? {} : JSON.parse(body)) as { reason?: string };
      return `${status} ${reason}`.trim();
    },
    setTime: (ms) => (nowMs = ms),
  };
}

describe('fakeApns checks the provider token', () => {
  it('accepts one of a known key, and shows what it says without showing it', async () => {
    const { apns, answerTo } = await openDesk();
    expect(await answerTo({ headers: { authorization: GOOD } })).toBe('200');
    const [request] = apns.requests;
    expect(request?.jwt).toEqual({ kid: KEY.keyId, iss: KEY.teamId, iat: NOW_MS / 1000, valid: true });
    expect(JSON.stringify(request)).not.toContain(GOOD.slice(-20));
  });

  it('takes its key as PEM too', async () => {
    const publicKey = KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { answerTo } = await openDesk({ keys: [{ ...KEY, publicKey }] });
    expect(await answerTo({ headers: { authorization: GOOD } })).toBe('200');
  });

  const other = makeApnsKey();
  it.each([
    ['none', {}, 'MissingProviderToken'],
    ['another scheme', { authorization: 'basic abc' }, 'MissingProviderToken'],
    ['nonsense', { authorization: 'bearer abc' }, 'InvalidProviderToken'],
    [
      'an unknown key id',
      { authorization: bearer(KEY, NOW_MS, { header: { kid: 'X' } }) },
      'InvalidProviderToken',
    ],
    [
      'another team',
      { authorization: bearer(KEY, NOW_MS, { claims: { iss: 'X' } }) },
      'InvalidProviderToken',
    ],
    [
      'another algorithm',
      { authorization: bearer(KEY, NOW_MS, { header: { alg: 'none' } }) },
      'InvalidProviderToken',
    ],
    [
      'no time',
      { authorization: bearer(KEY, NOW_MS, { claims: { iat: undefined } }) },
      'InvalidProviderToken',
    ],
    [
      'a time that is text',
      { authorization: bearer(KEY, NOW_MS, { claims: { iat: '1' } }) },
      'InvalidProviderToken',
    ],
    [
      "somebody else's signature",
      { authorization: bearer({ ...other, keyId: KEY.keyId, teamId: KEY.teamId }, NOW_MS) },
      'InvalidProviderToken',
    ],
    ['a fourth part', { authorization: `${GOOD}.x` }, 'InvalidProviderToken'],
  ] as const)('refuses %s', async (_name, headers, reason) => {
    const { apns, answerTo } = await openDesk();
    expect(await answerTo({ headers })).toBe(`403 ${reason}`);
    expect(apns.requests[0]?.jwt?.valid ?? false).toBe(false);
  });

  it('lets it be sixty minutes old, and not issued in the future', async () => {
    const { answerTo, setTime } = await openDesk();
    const push = { headers: { authorization: GOOD } };
    setTime(NOW_MS + 60 * MINUTE_MS);
    expect(await answerTo(push)).toBe('200');
    setTime(NOW_MS + 60 * MINUTE_MS + 1);
    expect(await answerTo(push)).toBe('403 ExpiredProviderToken');
    setTime(NOW_MS - 1);
    expect(await answerTo(push)).toBe('403 ExpiredProviderToken');
  });

  it('takes any number of tokens unless it is strict about them', async () => {
    const { answerTo } = await openDesk();
    for (const age of [0, 1000, 2000]) {
      expect(await answerTo({ headers: { authorization: bearer(KEY, NOW_MS - age) } })).toBe('200');
    }
  });

  it('is strict: another token only twenty minutes after the last change', async () => {
    const { answerTo, setTime } = await openDesk({ strictTokenUpdates: true });
    const first = { headers: { authorization: GOOD } };
    const second = { headers: { authorization: bearer(KEY, NOW_MS - 1000) } };
    expect(await answerTo(first)).toBe('200');
    setTime(NOW_MS + 20 * MINUTE_MS - 1);
    expect(await answerTo(second)).toBe('429 TooManyProviderTokenUpdates');
    expect(await answerTo(first)).toBe('200');
    setTime(NOW_MS + 20 * MINUTE_MS);
    expect(await answerTo(second)).toBe('200');
    expect(await answerTo(first)).toBe('429 TooManyProviderTokenUpdates');
  });
});

describe('fakeApns checks the request', () => {
  const padded = (bytes: number): string => JSON.stringify({ aps: {}, p: 'x'.repeat(bytes - 17) });
  const activity = `${TOPIC}.push-type.liveactivity`;

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['no topic', { 'apns-topic': '' }, '400 MissingTopic'],
    ['an unknown topic', { 'apns-topic': 'com.example' }, '400 DeviceTokenNotForTopic'],
    ['a Live Activity', { 'apns-push-type': 'liveactivity', 'apns-topic': activity }, '200'],
    [
      'a Live Activity without the suffix',
      { 'apns-push-type': 'liveactivity' },
      '400 DeviceTokenNotForTopic',
    ],
    [
      'an alert with the suffix',
      { 'apns-push-type': 'alert', 'apns-topic': activity },
      '400 DeviceTokenNotForTopic',
    ],
    ['priority 10', { 'apns-priority': '10' }, '200'],
    ['priority 5', { 'apns-priority': '5' }, '200'],
    ['priority 1', { 'apns-priority': '1' }, '200'],
    ['priority 2', { 'apns-priority': '2' }, '400 BadPriority'],
    ['an urgent background push', { 'apns-push-type': 'background' }, '400 BadPriority'],
    ['a background push', { 'apns-push-type': 'background', 'apns-priority': '5' }, '200'],
    ['an unknown push type', { 'apns-push-type': 'shout' }, '400 InvalidPushType'],
    ['an apns-id that is none', { 'apns-id': 'one' }, '400 BadMessageId'],
    ['an expiration of 0', { 'apns-expiration': '0' }, '200'],
    ['an expiration that is no time', { 'apns-expiration': 'soon' }, '400 BadExpirationDate'],
    ['a collapse id of 64 bytes', { 'apns-collapse-id': 'x'.repeat(64) }, '200'],
    ['a collapse id of 65 bytes', { 'apns-collapse-id': 'x'.repeat(65) }, '400 BadCollapseId'],
  ])('%s', async (_name, headers, answer) => {
    const { answerTo } = await openDesk();
    expect(await answerTo({ headers: { authorization: GOOD, ...headers } })).toBe(answer);
  });

  it.each<[string, string, string]>([
    ['4096 bytes', padded(4096), '200'],
    ['4097 bytes', padded(4097), '413 PayloadTooLarge'],
    ['a hundred kilobytes', padded(100_000), '413 PayloadTooLarge'],
    ['nothing', '', '400 PayloadEmpty'],
    ['no JSON', '{"aps"', '400 PayloadEmpty'],
    ['no aps', '{}', '400 PayloadEmpty'],
    ['an aps that is a list', '{"aps":[]}', '400 PayloadEmpty'],
    ['an array', '[]', '400 PayloadEmpty'],
  ])('a payload of %s', async (_name, body, answer) => {
    const { apns, answerTo } = await openDesk();
    expect(await answerTo({ headers: { authorization: GOOD }, body })).toBe(answer);
    expect(apns.requests[0]?.payloadBytes).toBe(body.length);
  });

  it('allows a VoIP payload 5120 bytes', async () => {
    const { answerTo } = await openDesk();
    const headers = { authorization: GOOD, 'apns-push-type': 'voip', 'apns-topic': `${TOPIC}.voip` };
    expect(await answerTo({ headers, body: padded(5120) })).toBe('200');
    expect(await answerTo({ headers, body: padded(5121) })).toBe('413 PayloadTooLarge');
  });

  it.each<[string, string, string]>([
    ['GET', `/3/device/${TOKEN}`, '405 MethodNotAllowed'],
    ['POST', '/', '404 BadPath'],
    ['POST', '/3/device/xyz', '404 BadPath'],
    ['POST', `/3/device/${TOKEN}/`, '404 BadPath'],
    ['POST', '/3/device/', '400 MissingDeviceToken'],
    ['POST', '/3/device/abc', '400 BadDeviceToken'],
    ['POST', '/3/device/ab', '200'],
  ])('%s %s', async (method, path, answer) => {
    const { apns } = await openDesk();
    const { session } = new Client(apns);
    const headers = { ':method': method, ':path': path, authorization: GOOD, 'apns-topic': TOPIC };
    const stream = session.request(headers, { endStream: method === 'GET' });
    if (method === 'POST') stream.end('{"aps":{}}');
    const { status, body } = await outcomeOf(stream);
    const { reason = '' } = (body === '' ? {} : JSON.parse(body)) as { reason?: string };
    expect(`${status} ${reason}`.trim()).toBe(answer);
  });

  it('looks at target, provider token, headers and payload in this order', async () => {
    const { answerTo } = await openDesk();
    const bad = { token: 'abc', headers: { 'apns-topic': '' }, body: '' };
    expect(await answerTo(bad)).toBe('400 BadDeviceToken');
    expect(await answerTo({ ...bad, token: TOKEN })).toBe('403 MissingProviderToken');
    const signed = { ...bad.headers, authorization: GOOD };
    expect(await answerTo({ ...bad, token: TOKEN, headers: signed })).toBe('400 MissingTopic');
    expect(await answerTo({ headers: { authorization: GOOD }, body: '' })).toBe('400 PayloadEmpty');
  });

  it('plays a script only to requests that pass', async () => {
    const { apns, answerTo } = await openDesk();
    apns.script(TOKEN, { status: 410, reason: 'Unregistered' }, { status: 200 });
    expect(await answerTo({})).toBe('403 MissingProviderToken');
    expect(await answerTo({ headers: { authorization: GOOD } })).toBe('410 Unregistered');
    expect(await answerTo({ headers: { authorization: GOOD } })).toBe('200');
  });

  it('checks nothing without keys', async () => {
    const client = new Client(await start());
    expect((await client.push({ headers: { 'apns-priority': '99' }, body: 'no' })).status).toBe(200);
  });
});
