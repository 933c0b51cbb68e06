import { eventually, FakeClock, hold, makeApnsKey } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { BUNDLE_ID, KEY, makeNotification, type Rig, startRig } from './rig.ts';

const MINUTE_MS = 60_000;
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function rigWith(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  rig = await startRig(options);
  return rig;
}

const EXPIRED = { status: 403, reason: 'ExpiredProviderToken' };

describe('a refused provider token', () => {
  it.each(['ExpiredProviderToken', 'InvalidProviderToken'])(
    '(%s) is renewed once and the push sent again with the same id',
    async (reason) => {
      const it = await rigWith({ clock: new FakeClock() });
      const push = makeNotification(it.clock);
      it.apns.script(push.token, { status: 403, reason }, { status: 200 });
      expect(await it.provider.send(push)).toEqual({ kind: 'accepted' });
      expect(it.apns.requests.map(({ apnsId }) => apnsId)).toEqual([push.id, push.id]);
      expect(it.provider.snapshot().sandbox).toMatchObject({
        mintedCount: 2,
        resentCount: 1,
        fault: undefined,
      });
    },
  );

  it('is a configuration fault when the new one is refused too', async () => {
    const it = await rigWith({});
    const push = makeNotification(it.clock);
    it.apns.script(push.token, EXPIRED);
    expect(await it.provider.send(push)).toEqual({
      kind: 'configuration-fault',
      reason: 'ExpiredProviderToken',
    });
    expect(it.apns.count(push.token)).toBe(2);
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(2);
  });

  it('is not renewed again within 20 minutes, and then once', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    it.apns.scriptOnce(EXPIRED);
    await it.warmUp();
    clock.advance(20 * MINUTE_MS - 1);
    const push = makeNotification(clock);
    it.apns.script(push.token, EXPIRED);
    expect(await it.provider.send(push)).toMatchObject({ kind: 'configuration-fault' });
    expect(it.apns.count(push.token)).toBe(1);
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(2);
    clock.advance(1);
    it.apns.scriptOnce(EXPIRED);
    expect(await it.send()).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(3);
  });

  it('that a push was sent with makes it go again with the current one', async () => {
    const it = await rigWith({});
    await it.warmUp();
    const [early, late] = [makeNotification(it.clock), makeNotification(it.clock)];
    const held = hold();
    it.apns.script(late.token, held, { status: 200 });
    it.apns.script(early.token, EXPIRED, { status: 200 });
    const outcome = it.provider.send(late);
    await eventually(() => expect(held.waiting).toBe(1), { everyMs: 2 });
    expect(await it.provider.send(early)).toEqual({ kind: 'accepted' });
    held.release(EXPIRED);
    expect(await outcome).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().sandbox).toMatchObject({ mintedCount: 2, resentCount: 2 });
  });

  it('costs one new token however many pushes were refused: 10,000 at once', async () => {
    const it = await rigWith({ fake: { firstStreams: 1000 } });
    it.apns.scriptAll(EXPIRED);
    const pushes = Array.from({ length: 10_000 }, () =>
      makeNotification(it.clock, { deadlineMs: it.clock.monotonicMs() + 110_000 }),
    );
    const outcomes = await Promise.all(pushes.map((push) => it.provider.send(push)));
    for (const outcome of outcomes) {
      expect(outcome).toEqual({ kind: 'configuration-fault', reason: 'ExpiredProviderToken' });
    }
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(2);
    expect(it.provider.snapshot().production.mintedCount).toBe(0);
    // All were admitted together, so none was kept from Apple by the breaker, and none was sent more than twice.
    expect(it.apns.requestsTotal).toBeGreaterThanOrEqual(10_000);
    expect(it.apns.requestsTotal).toBeLessThanOrEqual(20_000);
    for (const push of pushes) expect(it.apns.count(push.token)).toBeLessThanOrEqual(2);
    expect(it.log.of('error')).toHaveLength(1);
    // Client and server share one busy process.
  }, 120_000);

  it('(TooManyProviderTokenUpdates) stays as it is for 20 minutes', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    it.apns.scriptOnce({ status: 429, reason: 'TooManyProviderTokenUpdates' });
    expect(await it.send()).toMatchObject({ kind: 'later', reason: 'TooManyProviderTokenUpdates' });
    clock.advance(20 * MINUTE_MS - 1);
    it.apns.scriptOnce(EXPIRED);
    expect(await it.send()).toMatchObject({ kind: 'configuration-fault' });
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(1);
    clock.advance(1);
    it.apns.scriptOnce(EXPIRED);
    expect(await it.send()).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().sandbox.mintedCount).toBe(2);
  });

  it('is cured when the wall clock has been set right', async () => {
    const clock = new FakeClock();
    const apple = { ms: clock.epochMs() };
    clock.jumpEpoch(-2 * 60 * MINUTE_MS);
    const it = await rigWith({ clock, fake: { now: () => apple.ms } });
    expect(await it.send()).toEqual({ kind: 'configuration-fault', reason: 'ExpiredProviderToken' });
    expect(it.provider.snapshot().sandbox.state).toBe('failing');
    clock.setEpoch(apple.ms);
    expect(await it.send()).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().sandbox).toMatchObject({ state: 'working', fault: undefined });
  });

  it('of a key that Apple does not know is a configuration fault, told in words', async () => {
    const it = await rigWith({ fake: { keys: [makeApnsKey()] } });
    expect(await it.send()).toEqual({ kind: 'configuration-fault', reason: 'InvalidProviderToken' });
    const [line = ''] = it.log.of('error');
    for (const word of ['sandbox', 'InvalidProviderToken', 'key id', 'team id', 'clock', 'revoked']) {
      expect(line).toContain(word);
    }
    expect(it.provider.snapshot().sandbox).toMatchObject({ state: 'failing', fault: line });
    expect(it.provider.snapshot().production).toMatchObject({ state: 'idle', fault: undefined });
  });
});

describe('a configuration fault', () => {
  const FORBIDDEN = { status: 403, reason: 'Forbidden' };

  it('is told once, again when its reason changes, and when it is over', async () => {
    const it = await rigWith({});
    it.apns.scriptAll(FORBIDDEN);
    await it.send();
    await it.send();
    it.apns.scriptAll({ status: 400, reason: 'TopicDisallowed' });
    await it.send();
    expect(it.log.of('error')).toHaveLength(2);
    expect(it.log.of('error')[1]).toMatch(/TopicDisallowed.*bundle id/);
    it.apns.resetScripts();
    await it.warmUp();
    expect(it.log.of('info')).toEqual(['APNs (sandbox) accepts pushes again']);
    it.apns.scriptAll(FORBIDDEN);
    await it.send();
    expect(it.log.of('error')).toHaveLength(3);
  });

  it('that comes and goes fills no log: ten lines a minute', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    const comeAndGo = async (): Promise<void> => {
      it.apns.scriptOnce(FORBIDDEN);
      await it.send();
      await it.warmUp();
    };
    for (let count = 0; count < 10; count += 1) await comeAndGo();
    expect(it.log.of('error').length + it.log.of('info').length).toBe(10);
    clock.advance(MINUTE_MS);
    await comeAndGo();
    expect(it.log.of('error').length + it.log.of('info').length).toBe(12);
  });

  it('ten times in a row keeps pushes away from Apple for 30 s; then one at a time may try', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    it.apns.scriptAll(FORBIDDEN);
    for (let count = 0; count < 10; count += 1) await it.send();
    expect(it.apns.requestsTotal).toBe(10);
    const refused = { kind: 'configuration-fault', reason: 'Forbidden' };
    expect(await it.send()).toEqual(refused);
    clock.advance(29_999);
    expect(await it.send()).toEqual(refused);
    expect(it.apns.requestsTotal).toBe(10);
    clock.advance(1);
    const trial = it.send();
    expect(await Promise.all([it.send(), it.send()])).toEqual([refused, refused]);
    expect(await trial).toEqual(refused);
    expect(it.apns.requestsTotal).toBe(11);
    clock.advance(30_000);
    it.apns.resetScripts();
    await it.warmUp();
    expect(await Promise.all([it.send(), it.send()])).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }]);
    expect(it.log.of('error')).toHaveLength(1);
  });
});

describe('headers', () => {
  it('are those of an alert', async () => {
    const it = await rigWith({});
    const push = makeNotification(it.clock, { collapseId: 'session-1' });
    await it.provider.send(push);
    const [request] = it.apns.requests;
    const { ':authority': _authority, 'apns-expiration': expiration, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      ':method': 'POST',
      ':scheme': 'https',
      ':path': `/3/device/${push.token}`,
      'apns-topic': BUNDLE_ID,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-id': push.id,
      'apns-collapse-id': 'session-1',
    });
    const keptS = Number(expiration) - Math.floor(Date.now() / 1000);
    expect(keptS).toBeGreaterThan(24 * 3600 - 5);
    expect(keptS).toBeLessThanOrEqual(25 * 3600);
    expect(request?.jwt).toMatchObject({ kid: KEY.keyId, iss: KEY.teamId, valid: true });
    expect(request?.payload).toEqual({ aps: { alert: { title: 't' }, sound: 'default' } });
  });

  it('are those of a Live Activity, and have no collapse id without one', async () => {
    const it = await rigWith({});
    await it.send({ kind: 'liveactivity' });
    expect(it.apns.requests[0]?.headers).toMatchObject({
      'apns-topic': `${BUNDLE_ID}.push-type.liveactivity`,
      'apns-push-type': 'liveactivity',
      'apns-priority': '10',
    });
    expect(it.apns.requests[0]?.headers).not.toHaveProperty('apns-collapse-id');
  });
});
