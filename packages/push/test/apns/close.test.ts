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

const EMPTY = { sessionCount: 0, streamCount: 0, waitingCount: 0 };

describe('close', () => {
  it('ends connections of both environments and leaves no timer', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    await Promise.all([it.send(), it.send({ environment: 'production' })]);
    expect(clock.pendingTimers).toBeGreaterThan(0);
    await it.provider.close();
    expect(clock.pendingTimers).toBe(0);
    expect(it.provider.snapshot()).toMatchObject({ sandbox: EMPTY, production: EMPTY });
    await eventually(() => expect(it.apns.sessions).toHaveLength(0), { everyMs: 2 });
  });

  it('ends what is under way as unknown and what waits as later', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, fake: { firstStreams: 1 } });
    it.apns.scriptAll(hold());
    const sent = it.send();
    await it.apns.waitForRequests(1);
    const waiting = it.send();
    await it.provider.close();
    expect(await sent).toEqual({ kind: 'unknown', reason: 'closed' });
    expect(await waiting).toEqual({ kind: 'later', reason: 'closed', retryAfterMs: undefined });
    expect(clock.pendingTimers).toBe(0);
    expect(it.provider.snapshot().sandbox).toMatchObject(EMPTY);
  });

  it.each(['hang', 'refuse'] as const)('gives up a connection that is being opened (%s)', async (mode) => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    await it.apns.accept(mode);
    const outcome = it.send();
    await it.provider.close();
    expect(await outcome).toMatchObject({ kind: 'later' });
    expect(clock.pendingTimers).toBe(0);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
  });

  it('ends connections that drain', async () => {
    const it = await rigWith({});
    await it.warmUp();
    it.apns.scriptOnce(hold());
    const outcome = it.send();
    await it.apns.waitForRequests(2);
    it.apns.goAway();
    await eventually(() => expect(it.log.of('debug')).toContain('APNs connection drains'), { everyMs: 2 });
    await it.provider.close();
    expect(await outcome).toMatchObject({ kind: 'unknown' });
    await eventually(() => expect(it.apns.sessions).toHaveLength(0), { everyMs: 2 });
  });

  it('ends a connection into a black hole without waiting for its peer', async () => {
    const it = await rigWith({});
    await it.warmUp();
    it.apns.scriptOnce({ fault: 'black-hole' });
    const outcome = it.send();
    await it.apns.waitForRequests(2);
    // The peer would never close: that this comes back at all is the point.
    await it.provider.close();
    expect(await outcome).toMatchObject({ kind: 'unknown' });
  });

  it('takes no pushes afterwards and may be called twice', async () => {
    const it = await rigWith({});
    await it.provider.close();
    await it.provider.close();
    expect(await it.send()).toEqual({ kind: 'later', reason: 'closed', retryAfterMs: undefined });
    expect(it.apns.openSessionsTotal).toBe(0);
  });

  it('leaves nothing of the process open', async () => {
    const it = await rigWith({});
    // The fake is a listener and, per connection, a socket of its own.
    const listeners = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
    await Promise.all(Array.from({ length: 300 }, () => it.send()));
    await it.provider.close();
    await eventually(
      () =>
        expect(process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))).toHaveLength(
          listeners,
        ),
      { everyMs: 2 },
    );
  });
});

describe('what the log is told', () => {
  it('holds no token, payload, key or provider token', async () => {
    const it = await rigWith({});
    const token = '0123456789abcdef'.repeat(4);
    const payload = Buffer.from('{"aps":{"alert":{"title":"SECRET-TITLE"}}}');
    for (const reaction of [
      { status: 403, reason: 'InvalidProviderToken' },
      { status: 410, reason: 'Unregistered' },
      { status: 400, body: `no such token ${token}` },
      { fault: 'rst-stream', code: 2 },
      { fault: 'tcp-reset' },
    ] as const) {
      it.apns.script(token, reaction);
      await it.send({ token, payload });
    }
    const text = JSON.stringify(it.log.lines);
    expect(it.log.lines.length).toBeGreaterThan(4);
    expect(text).toContain('hashed');
    for (const secret of [token, 'SECRET-TITLE', 'bearer', 'PRIVATE KEY', 'eyJ']) {
      expect(text).not.toContain(secret);
    }
  });
});
