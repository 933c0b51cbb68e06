import { FakeClock } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { FreezableProxy } from './freezable-proxy.ts';
import { Lines, makeNotification, makeProvider, type Rig, startRig } from './rig.ts';

const FIVE_MINUTES_MS = 300_000;
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

describe('a connection that has been silent for long', () => {
  it('is asked by PING before the next push, after more than five minutes', async () => {
    const clock = new FakeClock();
    const it = await startRig({ clock });
    rig = it;
    await it.warmUp();
    clock.advance(FIVE_MINUTES_MS);
    await it.warmUp();
    expect(it.apns.pings).toBe(0);
    clock.advance(FIVE_MINUTES_MS + 1);
    await it.warmUp();
    expect(it.apns.pings).toBe(1);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
  });

  it('does not swallow that push when it is dead: a fresh one takes it, once', async () => {
    const clock = new FakeClock();
    const it = await startRig({ clock });
    rig = it;
    const proxy = await FreezableProxy.start(it.apns.port);
    const provider = makeProvider(`https://127.0.0.1:${proxy.port}`, it.apns.caPem, {
      clock,
      logger: new Lines(),
    });
    expect(await provider.send(makeNotification(clock))).toEqual({ kind: 'accepted' });
    proxy.freeze();
    clock.advance(FIVE_MINUTES_MS + 1);
    const push = makeNotification(clock);
    const outcome = provider.send(push);
    clock.advance(1999);
    expect(provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'accepted' });
    expect(it.apns.count(push.token)).toBe(1);
    expect(provider.snapshot().sandbox).toMatchObject({ sessionsOpenedCount: 2, resentCount: 0 });
    await provider.close();
    proxy.close();
  });
});
