import { eventually, hold } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { makeNotification, type Rig, startRig } from './rig.ts';

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** A rig whose first connection has taken a push: one request, one stream, room for more. */
async function warmRig(): Promise<Rig> {
  const started = await startRig();
  rig = started;
  await started.warmUp();
  await eventually(() => expect(started.apns.sessions[0]?.openStreams).toBe(0), { everyMs: 2 });
  return started;
}

/** Requests that reached the fake for a token, and under which ids. */
function seen({ apns }: Rig, token: string): { count: number; ids: number; sessions: number[] } {
  const requests = apns.requests.filter((request) => request.token === token);
  return {
    count: requests.length,
    ids: new Set(requests.map(({ apnsId }) => apnsId)).size,
    sessions: requests.map(({ sessionId }) => sessionId),
  };
}

describe('GOAWAY without an error', () => {
  it('makes a stream above its last one go again, on a new connection, with the same id', async () => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.scriptOnce({ fault: 'goaway', lastStream: 'below' });
    expect(await it.provider.send(push)).toEqual({ kind: 'accepted' });
    expect(seen(it, push.token)).toEqual({ count: 2, ids: 1, sessions: [1, 2] });
    expect(it.provider.snapshot().sandbox.resentCount).toBe(1);
  });

  it('lets streams at or below its last one end as they will, while a new connection opens', async () => {
    const it = await warmRig();
    const slow = makeNotification(it.clock);
    const held = hold();
    it.apns.script(slow.token, held);
    const outcome = it.provider.send(slow);
    await it.apns.waitForRequests(2);
    it.apns.goAway();
    await eventually(() => expect(it.log.of('debug')).toContain('APNs connection drains'), { everyMs: 2 });
    expect(await it.send()).toEqual({ kind: 'accepted' });
    // A stream closes a moment after its answer.
    const expected = { sessionCount: 2, streamCount: 1 };
    await eventually(() => expect(it.provider.snapshot().sandbox).toMatchObject(expected), { everyMs: 2 });
    held.release();
    expect(await outcome).toEqual({ kind: 'accepted' });
    expect(seen(it, slow.token)).toEqual({ count: 1, ids: 1, sessions: [1] });
    expect(it.provider.snapshot().sandbox).toMatchObject({ resentCount: 0, sessionsOpenedCount: 2 });
    await eventually(() => expect(it.apns.sessions.map(({ id }) => id)).toEqual([2]), { everyMs: 2 });
  });

  it('loses nothing that is sent while it arrives', async () => {
    const it = await warmRig();
    const pushes = Array.from({ length: 300 }, () => makeNotification(it.clock));
    const outcomes = pushes.map((push, index) => {
      if (index === 100) it.apns.goAway();
      return it.provider.send(push);
    });
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual({ kind: 'accepted' });
    for (const push of pushes) {
      const answered = it.apns.requests.filter(
        ({ token, answer }) => token === push.token && answer !== 'pending' && 'status' in answer,
      );
      expect(answered).toHaveLength(1);
    }
  });

  it('closes a connection on which nothing is under way, and the next push opens another', async () => {
    const it = await warmRig();
    it.apns.goAway();
    await eventually(() => expect(it.provider.snapshot().sandbox.sessionCount).toBe(0), { everyMs: 2 });
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(1);
    await it.warmUp();
    expect(it.provider.snapshot().sandbox.sessionsOpenedCount).toBe(2);
  });
});

describe('GOAWAY with an error', () => {
  it.each([1, 7, 11])('of code %d sends again only what is above its last stream', async (code) => {
    const it = await warmRig();
    const [below, above] = [makeNotification(it.clock), makeNotification(it.clock)];
    it.apns.script(below.token, { fault: 'silence' });
    it.apns.script(above.token, { fault: 'goaway', code, lastStream: 'below' }, { status: 200 });
    const outcomes = [it.provider.send(below), it.provider.send(above)];
    expect(await Promise.all(outcomes)).toEqual([
      { kind: 'unknown', reason: 'connection-lost' },
      { kind: 'accepted' },
    ]);
    expect(seen(it, below.token)).toMatchObject({ count: 1 });
    expect(seen(it, above.token)).toEqual({ count: 2, ids: 1, sessions: [1, 2] });
  });
});

describe('RST_STREAM', () => {
  it('that refuses the stream makes it go again, on the same connection, with the same id', async () => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.script(push.token, { fault: 'rst-stream', code: 7 }, { status: 200 });
    expect(await it.provider.send(push)).toEqual({ kind: 'accepted' });
    expect(seen(it, push.token)).toEqual({ count: 2, ids: 1, sessions: [1, 1] });
  });

  it('that refuses it twice is for later', async () => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.script(push.token, { fault: 'rst-stream', code: 7 });
    expect(await it.provider.send(push)).toMatchObject({ kind: 'later', reason: 'refused' });
    expect(seen(it, push.token)).toMatchObject({ count: 2, ids: 1 });
  });

  it.each([0, 1, 2, 8, 11, 13])('with code %d leaves it unknown and is not sent again', async (code) => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.script(push.token, { fault: 'rst-stream', code });
    expect(await it.provider.send(push)).toEqual({ kind: 'unknown', reason: 'connection-lost' });
    expect(seen(it, push.token)).toMatchObject({ count: 1 });
    expect(it.provider.snapshot().sandbox.resentCount).toBe(0);
  });
});

describe('the end of TCP', () => {
  it.each(['tcp-reset', 'tcp-fin'] as const)(
    '(%s) leaves every push under way unknown, sends none again, and the next opens a connection',
    async (fault) => {
      const it = await warmRig();
      const [silent, last] = [makeNotification(it.clock), makeNotification(it.clock)];
      it.apns.script(silent.token, { fault: 'silence' });
      it.apns.script(last.token, { fault });
      const outcomes = [it.provider.send(silent), it.provider.send(last)];
      for (const outcome of await Promise.all(outcomes)) {
        expect(outcome).toEqual({ kind: 'unknown', reason: 'connection-lost' });
      }
      expect(seen(it, silent.token)).toMatchObject({ count: 1 });
      expect(seen(it, last.token)).toMatchObject({ count: 1 });
      await it.warmUp();
      expect(it.provider.snapshot().sandbox).toMatchObject({
        sessionCount: 1,
        sessionsOpenedCount: 2,
        resentCount: 0,
      });
    },
  );
});

describe('our own end', () => {
  it('is unknown for what is under way, never a success', async () => {
    const it = await warmRig();
    const push = makeNotification(it.clock);
    it.apns.script(push.token, { fault: 'silence' });
    const outcome = it.provider.send(push);
    await it.apns.waitForRequests(2);
    await it.provider.close();
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'closed' });
    expect(seen(it, push.token)).toMatchObject({ count: 1 });
  });
});
