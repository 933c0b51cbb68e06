import { eventually, FakeClock } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { makeNotification, type Rig, startRig } from './rig.ts';

let rig: Rig | undefined;
const clock = (): FakeClock => rig?.clock as FakeClock;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function warmRig(): Promise<Rig> {
  rig = await startRig({ clock: new FakeClock() });
  await rig.warmUp();
  return rig;
}

describe('a push without an answer', () => {
  it('is unknown at its deadline, not before, and is not sent again', async () => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.script(push.token, { fault: 'silence' });
    let settled = false;
    const outcome = it.provider.send(push).finally(() => (settled = true));
    await it.apns.waitForRequests(2);
    clock().advance(4999);
    await Promise.resolve();
    expect(settled).toBe(false);
    clock().advance(41);
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(it.apns.count(push.token)).toBe(1);
  });

  it('has its connection asked by PING, and keeps it when that is answered', async () => {
    const it = await warmRig();
    it.apns.scriptOnce({ fault: 'silence' });
    const outcome = it.send();
    await it.apns.waitForRequests(2);
    clock().advance(5040);
    await outcome;
    expect(await it.send()).toEqual({ kind: 'accepted' });
    expect(it.apns.pings).toBe(1);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    await eventually(() => expect(it.provider.snapshot().sandbox.streamCount).toBe(0), { everyMs: 2 });
  });

  it('in a black hole ends the connection, and the pushes that wait get a fresh one', async () => {
    const it = await warmRig();
    it.apns.scriptOnce({ fault: 'black-hole' });
    const lost = it.send();
    await it.apns.waitForRequests(2);
    clock().advance(3000);
    const alsoLost = it.send();
    clock().advance(2000);
    expect(await lost).toEqual({ kind: 'unknown', reason: 'timeout' });
    const waiting = it.send();
    clock().advance(1999);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    clock().advance(1);
    expect(await alsoLost).toEqual({ kind: 'unknown', reason: 'ping-timeout' });
    expect(await waiting).toEqual({ kind: 'accepted' });
    expect(it.provider.snapshot().sandbox).toMatchObject({
      sessionCount: 1,
      sessionsOpenedCount: 2,
      resentCount: 0,
    });
  });

  it('does not cast doubt on a connection that has answered others since', async () => {
    const it = await warmRig();
    it.apns.scriptOnce({ fault: 'silence' });
    const outcome = it.send();
    await it.apns.waitForRequests(2);
    clock().advance(10);
    await it.warmUp();
    clock().advance(5030);
    expect(await outcome).toMatchObject({ kind: 'unknown' });
    await it.warmUp();
    expect(it.apns.pings).toBe(0);
  });

  it('gives its stream back', async () => {
    const it = await startRig({ clock: new FakeClock(), fake: { maxConcurrentStreams: 1 } });
    rig = it;
    it.apns.scriptOnce({ fault: 'silence' });
    const first = it.send();
    await it.apns.waitForRequests(1);
    clock().advance(4000);
    const second = it.send();
    clock().advance(1040);
    expect(await first).toMatchObject({ kind: 'unknown' });
    expect(await second).toEqual({ kind: 'accepted' });
  });
});

describe('an idle connection', () => {
  const HOUR_MS = 3_600_000;

  it('is asked by PING after an hour, and again an hour later', async () => {
    const it = await warmRig();
    clock().advance(HOUR_MS - 1);
    expect(it.apns.pings).toBe(0);
    clock().advance(1);
    await eventually(() => expect(it.apns.pings).toBe(1), { everyMs: 2 });
    // The answer has arrived once a push gets through.
    await it.warmUp();
    clock().advance(HOUR_MS);
    await eventually(() => expect(it.apns.pings).toBe(2), { everyMs: 2 });
    await it.warmUp();
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
  });

  it('is not asked while pushes are answered on it', async () => {
    const it = await warmRig();
    for (let count = 0; count < 13; count += 1) {
      clock().advance(HOUR_MS / 12);
      await it.warmUp();
    }
    expect(it.apns.pings).toBe(0);
  });

  it('ends when the PING is not answered', async () => {
    const it = await warmRig();
    it.apns.scriptOnce({ fault: 'black-hole' });
    const lost = it.send();
    await it.apns.waitForRequests(2);
    clock().advance(5040);
    await lost;
    clock().advance(2000);
    await eventually(() => expect(it.provider.snapshot().sandbox.sessionCount).toBe(0), { everyMs: 2 });
    expect(clock().pendingTimers).toBe(0);
  });
});
