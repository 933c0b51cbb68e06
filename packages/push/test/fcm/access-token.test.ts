import { FakeClock, fcmError, makeFcmToken } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { account, ACCOUNT, type FcmRig, startFcmRig } from './rig.ts';

const ACCEPTED = { kind: 'accepted' };
const HOUR_MS = 3_600_000;

let rig: FcmRig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function start(clock = new FakeClock()): Promise<FcmRig & { readonly clock: FakeClock }> {
  const started = await startFcmRig({ clock });
  rig = started;
  return { ...started, clock };
}

describe('an access token', () => {
  it('is fetched once, however many pushes need it at once', async () => {
    const it = await start();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => it.send()));
    for (const outcome of outcomes) expect(outcome).toEqual(ACCEPTED);
    expect(it.fcm.tokenEndpoint.requestCount).toBe(1);
  });

  it('is used up to four fifths of its life, then renewed beside the pushes that still use it', async () => {
    const it = await start();
    await it.send();
    it.clock.advance(0.8 * HOUR_MS - 1);
    await it.send();
    expect(it.fcm.tokenEndpoint.requestCount).toBe(1);
    it.clock.advance(1);
    it.fcm.tokenEndpoint.scriptAll('silence');
    expect(await it.send()).toEqual(ACCEPTED);
    expect(it.fcm.tokensGiven).toBe(1);
  });

  it('is renewed and the push sent again, once, when FCM refuses it', async () => {
    const it = await start();
    await it.send();
    it.fcm.revokeTokens();
    const token = makeFcmToken();
    expect(await it.send({ token })).toEqual(ACCEPTED);
    expect([it.fcm.count(token), it.fcm.tokensGiven]).toEqual([2, 2]);
  });

  it('is not renewed a second time within a minute, whatever FCM says', async () => {
    const it = await start();
    it.fcm.scriptAll(fcmError(401, { status: 'UNAUTHENTICATED' }));
    const refused = { kind: 'configuration-fault', reason: 'UNAUTHENTICATED' };
    const tokens = Array.from({ length: 5 }, makeFcmToken);
    for (const token of tokens) expect(await it.send({ token })).toEqual(refused);
    expect(tokens.map((token) => it.fcm.count(token))).toEqual([2, 1, 1, 1, 1]);
    expect(it.fcm.tokensGiven).toBe(2);
    it.clock.advance(60_000);
    await it.send();
    expect(it.fcm.tokensGiven).toBe(3);
  });

  it('that Google does not give ends what waits for it, and nothing is asked for half a minute', async () => {
    const it = await start();
    it.fcm.tokenEndpoint.scriptAll({ status: 400, body: '{"error":"invalid_grant"}' });
    const refused = { kind: 'configuration-fault', reason: 'oauth-invalid_grant' };
    expect(await Promise.all([it.send(), it.send()])).toEqual([refused, refused]);
    expect(await it.send()).toEqual(refused);
    expect(it.fcm.tokenEndpoint.requestCount).toBe(1);
    it.fcm.tokenEndpoint.scriptAll(undefined);
    it.clock.advance(30_000);
    expect(await it.send()).toEqual(ACCEPTED);
    expect(it.fcm.requestsTotal).toBe(1);
  });

  it.each([
    [{ status: 503 }, 'oauth-http-503'],
    [{ status: 429 }, 'oauth-http-429'],
    ['reset', 'oauth-ECONNRESET'],
    [{ status: 200, body: '<html>' }, 'oauth-bad-answer'],
    [{ status: 200, body: '{"access_token":"a\\r\\nb","expires_in":3600}' }, 'oauth-bad-answer'],
    [{ status: 200, body: '{"access_token":"a","expires_in":0}' }, 'oauth-bad-answer'],
    [
      { status: 200, body: JSON.stringify({ access_token: 'a', padding: 'x'.repeat(70_000) }) },
      'oauth-no-answer',
    ],
  ] as const)('for which %j comes is for later, and asked for again', async (reaction, reason) => {
    const it = await start();
    it.fcm.tokenEndpoint.scriptOnce(reaction);
    expect(await it.send()).toEqual({ kind: 'later', reason, retryAfterMs: undefined });
    it.clock.advance(1000);
    expect(await it.send()).toEqual(ACCEPTED);
  });

  it('that is not given for the wrong account is refused by the endpoint', async () => {
    const other = { ...account(), clientEmail: 'x@example.com' };
    rig = await startFcmRig({ provider: { account: other } });
    expect(await rig.send()).toEqual({ kind: 'configuration-fault', reason: 'oauth-invalid_grant' });
  });

  it('and the assertion for it are in no line of the log', async () => {
    const it = await start();
    await it.send();
    it.fcm.tokenEndpoint.scriptAll({ status: 400, body: '{"error":"ya29.secret words"}' });
    it.fcm.revokeTokens();
    expect(await it.send()).toEqual({ kind: 'configuration-fault', reason: 'oauth-http-400' });
    const text = JSON.stringify(it.log.lines);
    for (const secret of ['ya29', 'eyJ', 'PRIVATE', ACCOUNT.clientEmail]) expect(text).not.toContain(secret);
  });
});
