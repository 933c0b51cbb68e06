import { describe, expect, it } from 'vitest';
import { encodeFcmMessage, type FcmAlert } from '../../src/request/fcm-message.ts';
import { parseSend } from '../../src/request/parse-send.ts';
import { isRefusal } from '../../src/request/refusal.ts';
import { send, TOKEN } from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

const FCM_TOKEN = 'cXyz_-1:APA91b';
const BOTH = ['ios', 'android'] as const;
const PLAIN: FcmAlert = { title: 't', body: '', collapseId: '', data: {} };

function messageOf(alert: Partial<FcmAlert>): unknown {
  const encoded = encodeFcmMessage({ ...PLAIN, ...alert });
  return isRefusal(encoded) ? encoded.refusal : JSON.parse(encoded.toString());
}

describe('an alert for Android', () => {
  it('is a data message of strings, without what was not given', () => {
    expect(messageOf({})).toEqual({ data: { title: 't' }, android: { priority: 'HIGH', ttl: '86400s' } });
    expect(messageOf({ body: 'b', badge: 0, collapseId: 'c', data: { k: 'v' } })).toEqual({
      data: { title: 't', body: 'b', badge: '0', collapseId: 'c', k: 'v' },
      android: { priority: 'HIGH', ttl: '86400s', collapse_key: 'c' },
    });
  });

  it.each([
    'from',
    'message_type',
    'google.',
    'google.a',
    'gcm.',
    'gcm.a',
    'title',
    'body',
    'badge',
    'collapseId',
  ])('may not have %s among its data', (key) => {
    expect(messageOf({ data: { [key]: 'v' } })).toBe('invalid_request');
  });

  it.each(['fromage', 'xfrom', 'message_types', 'google', 'gcm', 'Google.a', 'constructor'])(
    'may have %s',
    (key) => {
      expect(messageOf({ data: { [key]: 'v' } })).toMatchObject({ data: { [key]: 'v' } });
    },
  );

  it('has 4096 bytes of data at the most, keys and values together', () => {
    const fixed = 'title'.length + 1 + 'k'.length;
    expect(messageOf({ data: { k: 'é'.repeat((4096 - fixed - 1) / 2) } })).toMatchObject({});
    expect(messageOf({ data: { k: 'x'.repeat(4096 - fixed) } })).not.toBe('invalid_request');
    expect(messageOf({ data: { k: 'x'.repeat(4096 - fixed + 1) } })).toBe('invalid_request');
  });
});

describe('a send', () => {
  it('has no tokens but those of Apple where there is no FCM', () => {
    expect(codeOf(parseSend(send({ tokens: [FCM_TOKEN] })))).toBe('invalid_request');
    expect(codeOf(parseSend(send({ tokens: [TOKEN, FCM_TOKEN] }), ['ios']))).toBe('invalid_request');
  });

  it('has a payload for each platform that its tokens may be of', () => {
    const platformsOf = (...tokens: string[]): string[] =>
      Object.keys(taken(parseSend(send({ tokens }), BOTH)).content.payloads);
    expect(platformsOf(FCM_TOKEN)).toEqual(['android']);
    expect(platformsOf(TOKEN, FCM_TOKEN)).toEqual(['ios', 'android']);
    expect(Object.keys(taken(parseSend(send())).content.payloads)).toEqual(['ios']);
  });

  it.each(['', 'a b', 'a.b', 'a\n', 'x'.repeat(4097), 'é'])('has no token %j', (token) => {
    expect(codeOf(parseSend(send({ tokens: [token] }), BOTH))).toBe('invalid_request');
  });

  it.each(['a', 'x'.repeat(4096), 'A-z:0_9'])('may have a token %s', (token) => {
    expect(codeOf(parseSend(send({ tokens: [token] }), BOTH))).toBe('ok');
  });

  it('is signed with the tokens of both as they were sent', () => {
    const { signedText } = taken(parseSend(send({ tokens: ['b:B', TOKEN.toUpperCase(), 'a'] }), BOTH));
    expect(signedText.split('.')[1]).toBe(`${TOKEN.toUpperCase()},a,b:B`);
  });

  it('that is too much for Apple may go to Android alone', () => {
    const body = '\u0001'.repeat(1024);
    expect(codeOf(parseSend(send({ tokens: [TOKEN, FCM_TOKEN], body }), BOTH))).toBe('invalid_request');
    expect(codeOf(parseSend(send({ tokens: [FCM_TOKEN], body }), BOTH))).toBe('ok');
  });
});
