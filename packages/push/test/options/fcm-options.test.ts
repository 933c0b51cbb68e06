import { makeApnsKey, makeServiceAccount } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { PushOptionError } from '../../src/options/push-option-error.ts';
import { type PushOptions, resolvePushOptions } from '../../src/options/push-options.ts';

const KEY = makeApnsKey();
const { json } = makeServiceAccount();

function resolve(options: PushOptions): ReturnType<typeof resolvePushOptions> {
  return resolvePushOptions({ apnsKeyId: KEY.keyId, apnsTeamId: KEY.teamId, apnsP8: KEY.p8, ...options });
}

function faultOf(options: PushOptions): PushOptionError {
  try {
    resolve(options);
  } catch (error) {
    if (error instanceof PushOptionError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('the options of FCM', () => {
  it('are none, and where Google is, unless something is said', () => {
    const { fcmServiceAccountJson, fcmUrl, fcmTokenUrl } = resolve({});
    expect([fcmServiceAccountJson, fcmUrl, fcmTokenUrl]).toEqual([
      undefined,
      'https://fcm.googleapis.com',
      undefined,
    ]);
  });

  it('are taken as they are', () => {
    const given = { fcmServiceAccountJson: json, fcmUrl: 'https://a/b', fcmTokenUrl: 'http://127.0.0.1:1/t' };
    expect(resolve(given)).toMatchObject(given);
  });

  it.each([
    [{ fcmServiceAccountJson: '' }, 'fcmServiceAccountJson'],
    [{ fcmServiceAccountJson: `${json}x` }, 'fcmServiceAccountJson'],
    [{ fcmUrl: 'http://example.com' }, 'fcmUrl'],
    [{ fcmTokenUrl: 'ftp://example.com' }, 'fcmTokenUrl'],
    [{ fcmTokenUrl: 'https://u:p@example.com' }, 'fcmTokenUrl'],
  ])('are refused by name, and never quoted', (options, option) => {
    const error = faultOf(options);
    expect(error.option).toBe(option);
    expect(error.message).not.toContain('PRIVATE');
    expect(error.message).not.toContain('u:p');
  });
});
