import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { systemClock } from '@openchambery/daemon';
import { eventually, FakeClock, startFakeApns } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import {
  KEY,
  Lines,
  loopbackCertificate,
  makeNotification,
  makeProvider,
  type Rig,
  startRig,
} from './rig.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function rigWith(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  const rig = await startRig(options);
  cleanups.push(() => rig.close());
  return rig;
}

describe('connecting', () => {
  it('happens with the first push, once for all that wait, and per environment', async () => {
    const it = await rigWith({});
    const both = (['sandbox', 'production'] as const).flatMap((environment) =>
      Array.from({ length: 200 }, () => it.send({ environment })),
    );
    for (const outcome of await Promise.all(both)) expect(outcome).toEqual({ kind: 'accepted' });
    const { sandbox, production } = it.provider.snapshot();
    expect(sandbox).toMatchObject({ sessionCount: 1, sessionsOpenedCount: 1, mintedCount: 1 });
    expect(production).toMatchObject({ sessionCount: 1, sessionsOpenedCount: 1, mintedCount: 1 });
    expect(sandbox.outcomeCounts.accepted).toBe(200);
    expect(it.apns.openSessionsTotal).toBe(2);
  });

  it('that is refused is tried again until the deadline, then the push is for later', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, provider: { random: () => 0.999999 } });
    await it.apns.accept('refuse');
    const outcome = it.send();
    const opened = (): number => it.provider.snapshot().sandbox.sessionsOpenedCount;
    // Full jitter at its longest, and the timer of deadlines beside that of the wait.
    for (const [index, waitMs] of [200, 400, 800, 1600].entries()) {
      await eventually(() => expect(it.log.of('debug')).toHaveLength(index + 1), { everyMs: 2 });
      clock.advance(waitMs - 1);
      expect(opened()).toBe(index + 1);
      clock.advance(1);
      expect(opened()).toBe(index + 2);
    }
    clock.advance(5000);
    expect(await outcome).toEqual({ kind: 'later', reason: 'unreachable', retryAfterMs: undefined });
    await it.provider.close();
    expect(clock.pendingTimers).toBe(0);
    expect(it.log.of('warn')).toEqual(['APNs (sandbox) cannot be reached: ECONNREFUSED']);
  });

  it('that keeps failing holds one push at a time, and tells the others at once', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, provider: { random: () => 0.999999 } });
    await it.apns.accept('refuse');
    const waiting = it.send();
    for (const [index, waitMs] of [200, 400, 800].entries()) {
      await eventually(() => expect(it.log.of('debug')).toHaveLength(index + 1), { everyMs: 2 });
      clock.advance(waitMs);
    }
    const unreachable = { kind: 'later', reason: 'unreachable', retryAfterMs: undefined };
    expect(await it.send()).toEqual(unreachable);
    expect(it.provider.snapshot().sandbox.waitingCount).toBe(1);
    await it.apns.accept('open');
    await eventually(() => expect(it.log.of('debug')).toHaveLength(4), { everyMs: 2 });
    clock.advance(1600);
    expect(await waiting).toEqual({ kind: 'accepted' });
    expect(await it.send()).toEqual({ kind: 'accepted' });
  });

  it('goes on as soon as the service is back, and says so', async () => {
    const it = await rigWith({ provider: { random: () => 0.1 } });
    await it.apns.accept('refuse');
    const outcome = it.send();
    await eventually(() => expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBeGreaterThan(1), {
      everyMs: 2,
    });
    await it.apns.accept('open');
    expect(await outcome).toEqual({ kind: 'accepted' });
    expect(it.log.of('warn')).toHaveLength(1);
    expect(it.log.of('info')).toEqual(['APNs (sandbox) is reached again']);
  });

  it.each(['hang', 'reset'] as const)('to a peer that accepts and then does %s fails', async (mode) => {
    const it = await rigWith({ provider: { connectTimeoutMs: 50, random: () => 0 } });
    await it.apns.accept(mode);
    const outcome = await it.send({ deadlineMs: systemClock.monotonicMs() + 300 });
    expect(outcome).toEqual({ kind: 'later', reason: 'unreachable', retryAfterMs: undefined });
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBeGreaterThan(1);
  });

  it('gives up TCP and TLS together after the time given, at that time', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, provider: { random: () => 0 } });
    await it.apns.accept('hang');
    const outcome = it.send();
    clock.advance(2999);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    clock.advance(1);
    clock.advance(0);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(2);
    clock.advance(2100);
    expect(await outcome).toMatchObject({ kind: 'later' });
  });

  it('opens nothing after a failure while no push waits', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    await it.apns.accept('hang');
    const outcome = it.send({ deadlineMs: 1000 });
    clock.advance(1040);
    await outcome;
    clock.advance(60_000);
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not trust a certificate of somebody else', async () => {
    const other = await startFakeApns({ keys: [KEY] });
    cleanups.push(() => other.close());
    const { caPem } = await loopbackCertificate();
    const log = new Lines();
    const provider = makeProvider(other.url, caPem, { logger: log });
    cleanups.push(() => provider.close());
    const push = makeNotification(systemClock, { deadlineMs: systemClock.monotonicMs() + 300 });
    expect(await provider.send(push)).toMatchObject({ kind: 'later', reason: 'unreachable' });
    expect(log.of('warn')[0]).toMatch(/^APNs \(sandbox\) cannot be reached: [A-Z_]+$/);
    expect(other.requestsTotal).toBe(0);
  });

  it('to a TLS server that does not speak HTTP/2 fails', async () => {
    const { certPem, keyPem, caPem } = await loopbackCertificate();
    const server = createTlsServer({ cert: certPem, key: keyPem }, (socket) =>
      socket.on('error', () => socket.destroy()),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const log = new Lines();
    const provider = makeProvider(`https://127.0.0.1:${port}`, caPem, { logger: log });
    cleanups.push(() => provider.close());
    const push = makeNotification(systemClock, { deadlineMs: systemClock.monotonicMs() + 300 });
    expect(await provider.send(push)).toMatchObject({ kind: 'later', reason: 'unreachable' });
    expect(log.of('warn')).toEqual(['APNs (sandbox) cannot be reached: no-http2']);
  });

  it('to something that is not TLS fails', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const provider = makeProvider(`https://127.0.0.1:${port}`, (await loopbackCertificate()).caPem);
    cleanups.push(() => provider.close());
    const push = makeNotification(systemClock, { deadlineMs: systemClock.monotonicMs() + 300 });
    expect(await provider.send(push)).toMatchObject({ kind: 'later', reason: 'unreachable' });
  });
});

describe('a service that answers each connection with 503 and ends it', () => {
  it('is met with longer and longer waits', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, provider: { random: () => 0.999999 } });
    it.apns.scriptAll({ status: 503, reason: 'Shutdown' });
    for (const waitMs of [200, 400, 800]) {
      const { sessionsOpenedCount } = it.provider.snapshot().sandbox;
      expect(await it.send()).toMatchObject({ kind: 'later', reason: 'Shutdown' });
      expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(Math.max(1, sessionsOpenedCount));
      it.apns.goAway();
      await eventually(() => expect(it.provider.snapshot().sandbox.sessionCount).toBe(0), { everyMs: 2 });
      const next = it.send();
      clock.advance(waitMs - 1);
      expect(it.provider.snapshot().sandbox.sessionCount).toBe(0);
      clock.advance(1);
      expect(await next).toMatchObject({ kind: 'later', reason: 'Shutdown' });
    }
    expect(it.log.of('warn')).toEqual(['APNs (sandbox) cannot be reached: goaway-0 Shutdown']);
  });
});

describe('what waits', () => {
  it('is bounded: one more than allowed is told to come later', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock, provider: { maxWaiting: 3 } });
    await it.apns.accept('hang');
    const waiting = [it.send(), it.send(), it.send()];
    expect(await it.send()).toEqual({ kind: 'later', reason: 'overloaded', retryAfterMs: undefined });
    expect(it.provider.snapshot().sandbox.waitingCount).toBe(3);
    clock.advance(5100);
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ kind: 'later' });
    expect(it.provider.snapshot().sandbox.waitingCount).toBe(0);
  });

  it('leaves at its own deadline, whatever the order of deadlines', async () => {
    const clock = new FakeClock();
    const it = await rigWith({ clock });
    await it.apns.accept('hang');
    const order: number[] = [];
    const outcomes = [3000, 1000, 2000].map((deadlineMs) =>
      it.send({ deadlineMs }).then(() => order.push(deadlineMs)),
    );
    for (let count = 0; count < 4; count += 1) {
      clock.advance(1020);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await Promise.all(outcomes);
    expect(order).toEqual([1000, 2000, 3000]);
  });

  it('is not sent at all when its deadline has passed before', async () => {
    const it = await rigWith({});
    const deadlineMs = it.clock.monotonicMs();
    expect(await it.send({ deadlineMs })).toMatchObject({ kind: 'later', reason: 'timeout' });
    expect(it.apns.openSessionsTotal).toBe(0);
  });
});
