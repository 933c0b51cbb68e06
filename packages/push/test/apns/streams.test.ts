import { eventually, FakeClock, hold } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from './rig.ts';

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function rigWith(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  rig = await startRig(options);
  return rig;
}

describe('streams at once', () => {
  it('is one on a new connection until the peer allows more', async () => {
    const it = await rigWith({ fake: { firstStreams: 1, maxConcurrentStreams: 50 } });
    const held = hold();
    it.apns.scriptOnce(held);
    const outcomes = Array.from({ length: 100 }, () => it.send());
    await it.apns.waitForRequests(1);
    expect(it.provider.snapshot().sandbox).toMatchObject({ streamCount: 1, waitingCount: 99 });
    held.release();
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual({ kind: 'accepted' });
    expect(it.apns.sessions[0]?.maxOpenStreams).toBeLessThanOrEqual(50);
    expect(it.apns.sessions[0]?.maxOpenStreams).toBeGreaterThan(1);
  });

  it('follows the peer up, down, to nothing and up again', async () => {
    const it = await rigWith({ fake: { firstStreams: 4, maxConcurrentStreams: 4 } });
    await it.warmUp();
    const held = hold();
    it.apns.scriptAll(held);
    const outcomes = Array.from({ length: 20 }, () => it.send());
    await eventually(() => expect(held.waiting).toBe(4), { everyMs: 2 });
    expect(it.provider.snapshot().sandbox).toMatchObject({ streamCount: 4, waitingCount: 16 });
    it.apns.setMaxConcurrentStreams(6);
    await eventually(() => expect(held.waiting).toBe(6), { everyMs: 2 });
    expect(it.provider.snapshot().sandbox.waitingCount).toBe(14);
    it.apns.setMaxConcurrentStreams(0);
    // Settings travel in order with this answer, so they are known when the streams end.
    held.release();
    await eventually(() => expect(it.provider.snapshot().sandbox.streamCount).toBe(0), { everyMs: 2 });
    expect(it.provider.snapshot().sandbox.waitingCount).toBe(14);
    it.apns.scriptAll(undefined);
    it.apns.setMaxConcurrentStreams(2);
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual({ kind: 'accepted' });
    expect(it.apns.sessions[0]?.maxOpenStreams).toBe(6);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
  });

  it('never is more than our own limit', async () => {
    const it = await rigWith({ provider: { maxStreams: 3 } });
    await it.warmUp();
    const held = hold();
    it.apns.scriptAll(held);
    const outcomes = Array.from({ length: 10 }, () => it.send());
    await eventually(() => expect(held.waiting).toBe(3), { everyMs: 2 });
    expect(it.provider.snapshot().sandbox).toMatchObject({ streamCount: 3, waitingCount: 7 });
    held.release();
    await Promise.all(outcomes);
    expect(it.apns.sessions[0]?.maxOpenStreams).toBe(3);
  });

  it('leaves pushes that find no room until their deadline for later', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, fake: { maxConcurrentStreams: 0 } });
    const outcome = it.send();
    await eventually(() => expect(it.provider.snapshot().sandbox.sessionCount).toBe(1), { everyMs: 2 });
    await eventually(() => expect(it.provider.snapshot().sandbox.streamCount).toBe(0), { everyMs: 2 });
    clock.advance(5040);
    expect(['later', 'unknown']).toContain((await outcome).kind);
    const next = it.send();
    clock.advance(5040);
    expect(await next).toEqual({ kind: 'later', reason: 'no-stream', retryAfterMs: undefined });
  });

  it('serves those first that have waited longest', async () => {
    const it = await rigWith({ fake: { firstStreams: 1, maxConcurrentStreams: 1 } });
    const tokens = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(64, '0'));
    await Promise.all(tokens.map((token) => it.send({ token })));
    expect(it.apns.requests.map(({ token }) => token)).toEqual(tokens);
  });
});
