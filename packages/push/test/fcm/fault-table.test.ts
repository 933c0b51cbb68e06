import { FakeClock, fcmError, makeFcmToken } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type FcmRig, makeMessage, startFcmRig } from './rig.ts';

let rig: FcmRig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function start(): Promise<FcmRig> {
  rig = await startFcmRig();
  return rig;
}

describe('a push that FCM takes', () => {
  it('is asked for as FCM wants it, with the token in front of the rest', async () => {
    const it = await start();
    const token = makeFcmToken();
    expect(await it.send({ token })).toEqual({ kind: 'accepted' });
    const [request] = it.fcm.requests;
    expect(request?.payload).toEqual({
      message: { token, data: { title: 't' }, android: { priority: 'HIGH', ttl: '86400s' } },
    });
    expect(request?.headers).toMatchObject({ ':method': 'POST', 'content-type': 'application/json' });
    expect(it.fcm.tokensGiven).toBe(1);
  });
});

describe('the fault table', () => {
  it.each([
    [404, { errorCode: 'UNREGISTERED', status: 'NOT_FOUND' }, { kind: 'dead', reason: 'UNREGISTERED' }],
    [404, { status: 'NOT_FOUND' }, { kind: 'configuration-fault', reason: 'NOT_FOUND' }],
    [404, { errorCode: 'INTERNAL' }, { kind: 'request-fault', reason: 'INTERNAL' }],
    [403, { errorCode: 'SENDER_ID_MISMATCH' }, { kind: 'mismatch', reason: 'SENDER_ID_MISMATCH' }],
    [403, { status: 'PERMISSION_DENIED' }, { kind: 'configuration-fault', reason: 'PERMISSION_DENIED' }],
    [
      401,
      { errorCode: 'THIRD_PARTY_AUTH_ERROR' },
      { kind: 'configuration-fault', reason: 'THIRD_PARTY_AUTH_ERROR' },
    ],
    [
      429,
      { errorCode: 'QUOTA_EXCEEDED', retryAfter: 7 },
      { kind: 'later', reason: 'QUOTA_EXCEEDED', retryAfterMs: 7000 },
    ],
    [429, { errorCode: 'QUOTA_EXCEEDED' }, { kind: 'later', reason: 'QUOTA_EXCEEDED', retryAfterMs: 60_000 }],
    [500, { errorCode: 'INTERNAL' }, { kind: 'later', reason: 'INTERNAL', retryAfterMs: 10_000 }],
    [
      503,
      { errorCode: 'UNAVAILABLE', retryAfter: 120 },
      { kind: 'later', reason: 'UNAVAILABLE', retryAfterMs: 120_000 },
    ],
    [503, { errorCode: 'UNAVAILABLE' }, { kind: 'later', reason: 'UNAVAILABLE', retryAfterMs: 10_000 }],
    [504, {}, { kind: 'unknown', reason: 'UNKNOWN' }],
    [413, {}, { kind: 'request-fault', reason: 'UNKNOWN' }],
    [307, {}, { kind: 'configuration-fault', reason: 'UNKNOWN' }],
  ] as const)('reads %d %j', async (status, error, outcome) => {
    const it = await start();
    const token = makeFcmToken();
    it.fcm.script(token, fcmError(status, error));
    expect(await it.send({ token })).toMatchObject(outcome);
    expect(it.fcm.count(token)).toBe(1);
    expect(it.fcm.tokensGiven).toBe(1);
  });

  it('takes an answer without a body, or with one of somebody else, by its status', async () => {
    const it = await start();
    for (const body of ['', '<html>', '{"error":7}', 'x'.repeat(20_000)]) {
      it.fcm.scriptOnce({ status: 404, body });
      expect(await it.send()).toEqual({ kind: 'configuration-fault', reason: 'http-404' });
    }
  });

  it('waits twice as long after each fault of the service, and as before after a success', async () => {
    const clock = new FakeClock();
    rig = await startFcmRig({ clock });
    const waits: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      rig.fcm.scriptOnce(fcmError(503, { errorCode: 'UNAVAILABLE' }));
      rig.fcm.scriptOnce(fcmError(500, { errorCode: 'INTERNAL' }));
      const first = await rig.send();
      const second = await rig.send();
      waits.push([first, second].map((each) => ('retryAfterMs' in each ? each.retryAfterMs : undefined)));
      clock.advance(60_000);
    }
    expect(waits).toEqual([
      [10_000, 10_000],
      [20_000, 20_000],
      [40_000, 40_000],
    ]);
    await rig.send();
    rig.fcm.scriptOnce(fcmError(503, { errorCode: 'UNAVAILABLE' }));
    expect(await rig.send()).toMatchObject({ retryAfterMs: 10_000 });
  });
});

describe('INVALID_ARGUMENT', () => {
  const INVALID = fcmError(400, { errorCode: 'INVALID_ARGUMENT', status: 'INVALID_ARGUMENT' });

  it('is the fault of the push when FCM finds nothing wrong with the token alone', async () => {
    const it = await start();
    const token = makeFcmToken();
    it.fcm.script(token, INVALID, { status: 200 });
    expect(await it.send({ token })).toEqual({ kind: 'request-fault', reason: 'INVALID_ARGUMENT' });
    expect(it.fcm.requests.map(({ payload }) => payload).at(-1)).toEqual({
      validate_only: true,
      message: { token },
    });
  });

  it('is the fault of the token when FCM finds it wrong alone, and that is remembered', async () => {
    const it = await start();
    const token = makeFcmToken();
    it.fcm.script(token, INVALID);
    const suspected = { kind: 'request-fault', reason: 'INVALID_ARGUMENT token' };
    expect(await it.send({ token })).toEqual(suspected);
    expect(it.fcm.count(token)).toBe(2);
    expect(await it.send({ token })).toEqual(suspected);
    expect(it.fcm.count(token)).toBe(3);
  });

  it('is looked into a hundred times a minute and not once more', async () => {
    const clock = new FakeClock();
    rig = await startFcmRig({ clock });
    rig.fcm.scriptAll(INVALID);
    for (let index = 0; index < 101; index++) await rig.send();
    expect(rig.fcm.requestsTotal).toBe(201);
    clock.advance(60_001);
    await rig.send();
    expect(rig.fcm.requestsTotal).toBe(203);
  });
});

describe('what goes wrong below HTTP', () => {
  it('a stream that is reset in the middle is unknown and not sent again', async () => {
    const it = await start();
    await it.send();
    const push = makeMessage(it.clock);
    it.fcm.script(push.token, { fault: 'rst-stream', code: 2 });
    expect(await it.provider.send(push)).toEqual({ kind: 'unknown', reason: 'connection-lost' });
    expect(it.fcm.count(push.token)).toBe(1);
  });

  it('a stream above the last one of a GOAWAY goes again, on a new connection', async () => {
    const it = await start();
    await it.send();
    const token = makeFcmToken();
    it.fcm.script(token, { fault: 'goaway', lastStream: 'below' }, { status: 200 });
    expect(await it.send({ token })).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().fcm).toMatchObject({ sessionsOpenedCount: 2, resentCount: 1 });
  });

  it('a black hole is noticed at the deadline', async () => {
    const it = await start();
    await it.send();
    const push = makeMessage(it.clock, { deadlineMs: it.clock.monotonicMs() + 300 });
    it.fcm.script(push.token, { fault: 'black-hole' });
    expect(await it.provider.send(push)).toEqual({ kind: 'unknown', reason: 'timeout' });
  });

  it('ten configuration faults in a row keep pushes away from FCM for half a minute', async () => {
    const clock = new FakeClock();
    rig = await startFcmRig({ clock });
    rig.fcm.scriptAll(fcmError(404, { status: 'NOT_FOUND' }));
    for (let index = 0; index < 11; index++) {
      expect(await rig.send()).toMatchObject({ kind: 'configuration-fault', reason: 'NOT_FOUND' });
    }
    expect(rig.fcm.requestsTotal).toBe(10);
    expect(rig.provider.snapshot().fcm).toMatchObject({ state: 'failing' });
    expect(rig.log.of('error')).toHaveLength(1);
    rig.fcm.scriptAll(undefined);
    clock.advance(30_000);
    expect(await rig.send()).toEqual({ kind: 'accepted' });
  });
});
