import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../src/apns/answer.ts';
import { interpretAnswer } from '../../src/apns/interpret-answer.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';

const NOW = 1_700_000_000_000;

function interpret(status: number, body: unknown, retryAfter?: unknown): PushOutcome {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return interpretAnswer(parseAnswer({ status, body: Buffer.from(text), retryAfter }), NOW);
}

const TABLE: readonly [number, PushOutcome['kind'], string][] = [
  [
    400,
    'request-fault',
    'BadCollapseId BadExpirationDate BadMessageId BadPriority DuplicateHeaders IdleTimeout InvalidPushType MissingDeviceToken PayloadEmpty SomethingNew',
  ],
  [400, 'configuration-fault', 'BadTopic MissingTopic TopicDisallowed'],
  [400, 'mismatch', 'BadDeviceToken DeviceTokenNotForTopic'],
  [
    403,
    'configuration-fault',
    'BadCertificate BadCertificateEnvironment Forbidden MissingProviderToken UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadEnvironmentKeyInToken ExpiredProviderToken InvalidProviderToken SomethingNew',
  ],
  [404, 'request-fault', 'BadPath'],
  [405, 'request-fault', 'MethodNotAllowed'],
  [410, 'dead', 'Unregistered ExpiredToken SomethingNew'],
  [413, 'request-fault', 'PayloadTooLarge'],
  [429, 'later', 'TooManyProviderTokenUpdates TooManyRequests SomethingNew'],
  [500, 'later', 'InternalServerError'],
  [503, 'later', 'ServiceUnavailable Shutdown'],
];

describe('interpretAnswer', () => {
  for (const [status, kind, reasons] of TABLE) {
    for (const reason of reasons.split(' ')) {
      it(`takes ${status} ${reason} for ${kind}`, () => {
        expect(interpret(status, { reason })).toMatchObject({ kind, reason });
      });
    }
  }

  it.each([
    [200, 'accepted'],
    [204, 'unknown'],
    [301, 'configuration-fault'],
    [302, 'configuration-fault'],
    [401, 'configuration-fault'],
    [407, 'configuration-fault'],
    [408, 'later'],
    [409, 'request-fault'],
    [418, 'request-fault'],
    [421, 'request-fault'],
    [502, 'later'],
    [504, 'unknown'],
    [599, 'later'],
    [600, 'unknown'],
  ] as const)('takes %d without a body for %s', (status, kind) => {
    expect(interpret(status, '').kind).toBe(kind);
  });

  it.each([
    '',
    'not json',
    '{"reason":',
    '[]',
    'null',
    '"BadDeviceToken"',
    '{"reason":7}',
    '{"reason":"two words"}',
    `{"reason":"${'x'.repeat(65)}"}`,
    '\u{0}',
  ])('names the status when the body is %j', (body) => {
    expect(interpret(400, body)).toEqual({ kind: 'request-fault', reason: 'http-400' });
  });

  it('keeps a reason of 64 letters', () => {
    expect(interpret(400, { reason: 'x'.repeat(64) })).toMatchObject({ reason: 'x'.repeat(64) });
  });

  it('tells since when a token is dead', () => {
    expect(interpret(410, { reason: 'Unregistered', timestamp: NOW - 5000 })).toEqual({
      kind: 'dead',
      reason: 'Unregistered',
      sinceMs: NOW - 5000,
    });
  });

  it.each([undefined, null, 'yesterday', String(NOW), [NOW], Number.NaN, Number.POSITIVE_INFINITY])(
    'does not believe %j to be the time a token died',
    (timestamp) => {
      expect(interpret(410, { reason: 'Unregistered', timestamp })).toMatchObject({ sinceMs: undefined });
    },
  );

  it.each([0, 1000, NOW / 1000, 1e12, NOW, NOW + 86_400_000])('believes %d', (timestamp) => {
    expect(interpret(410, { reason: 'Unregistered', timestamp })).toMatchObject({ sinceMs: timestamp });
  });

  it.each([400, 403, 404, 429])('takes the word of a %d that a token is dead', (status) => {
    for (const reason of ['Unregistered', 'ExpiredToken']) {
      expect(interpret(status, { reason, timestamp: NOW })).toEqual({ kind: 'dead', reason, sinceMs: NOW });
    }
  });

  it('does not take the word of a 500', () => {
    expect(interpret(500, { reason: 'Unregistered' })).toMatchObject({ kind: 'later' });
  });

  it.each([429, 500, 503])('says how long a %d asks to wait', (status) => {
    expect(interpret(status, { reason: 'Shutdown' }, '7')).toMatchObject({ retryAfterMs: 7000 });
    expect(interpret(status, { reason: 'Shutdown' })).toMatchObject({ retryAfterMs: undefined });
  });
});
