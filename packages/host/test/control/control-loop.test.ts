import { FakeClock } from '@openchambery/testkit';
import type { ControlMessage } from '@openchambery/protocol';
import { expect, test } from 'vitest';
import type { ControlListener } from '../../src/control/control-connection.ts';
import { ControlLoop } from '../../src/control/control-loop.ts';
import type { HostStatus } from '../../src/relay-host.ts';

const SYNC: ControlMessage = { type: 'sync', connectionIds: [] };

interface Attempt {
  readonly listener: ControlListener;
  closedWith: string | undefined;
}

function createStage() {
  const clock = new FakeClock();
  const attempts: Attempt[] = [];
  const statuses: HostStatus[] = [];
  const messages: ControlMessage[] = [];
  const loop = new ControlLoop(
    {
      clock,
      random: () => 0,
      openControl: (listener) => {
        const attempt: Attempt = { listener, closedWith: undefined };
        attempts.push(attempt);
        return {
          close: (reason) => {
            attempt.closedWith = reason;
          },
        };
      },
    },
    { onMessage: (message) => messages.push(message), onStatus: (status) => statuses.push(status) },
  );
  const last = (): Attempt => {
    const attempt = attempts.at(-1);
    if (attempt === undefined) throw new Error('nothing was opened');
    return attempt;
  };
  return { clock, attempts, statuses, messages, loop, last };
}

test('connects, and passes messages on', () => {
  const { loop, last, statuses, messages } = createStage();
  expect(loop.status).toEqual({ state: 'idle' });
  loop.start();
  loop.start();
  last().listener.onMessage(SYNC);
  last().listener.onMessage({ type: 'connected', connectionId: 'a' });
  expect(statuses).toEqual([{ state: 'connecting' }, { state: 'connected' }]);
  expect(messages.map(({ type }) => type)).toEqual(['sync', 'connected']);
});

test('tries again after a while, with one attempt at a time', () => {
  const { clock, loop, last, attempts } = createStage();
  loop.start();
  last().listener.onEnd({ kind: 'unreachable', reason: 'nothing listens there' });
  expect(loop.status).toEqual({ state: 'reconnecting', reason: 'nothing listens there', retryInMs: 1000 });
  clock.advance(999);
  expect(attempts).toHaveLength(1);
  clock.advance(1);
  expect(attempts).toHaveLength(2);
  expect(loop.status).toEqual({ state: 'connecting' });
  last().listener.onEnd({ kind: 'closed', code: 1012, reason: '' });
  expect(loop.status).toMatchObject({ state: 'reconnecting', retryInMs: 2000 });
});

test('says what the relay refused, and tries again all the same', () => {
  const { clock, loop, last, attempts } = createStage();
  loop.start();
  const reason = 'auth: timestamp 312 s behind the relay';
  last().listener.onEnd({ kind: 'closed', code: 4010, reason });
  expect(loop.status).toEqual({ state: 'refused', code: 4010, reason, retryInMs: 1000 });
  clock.advance(1000);
  expect(attempts).toHaveLength(2);
});

test('does not hurry after it was replaced, unless it had lived for a minute', () => {
  const { clock, loop, last } = createStage();
  loop.start();
  const replacedAfter = (ms: number): HostStatus => {
    last().listener.onMessage(SYNC);
    clock.advance(ms);
    last().listener.onEnd({ kind: 'closed', code: 4001, reason: '' });
    const { status } = loop;
    clock.advance(30_000);
    return status;
  };
  expect(replacedAfter(1000)).toMatchObject({ state: 'refused', code: 4001, retryInMs: 1000 });
  expect(replacedAfter(59_999)).toMatchObject({ retryInMs: 2000 });
  expect(replacedAfter(59_999)).toMatchObject({ retryInMs: 4000 });
  expect(replacedAfter(60_000)).toMatchObject({ retryInMs: 1000 });
});

test('stops while idle, waiting, connecting and connected, and leaves no timer', async () => {
  const idle = createStage();
  await idle.loop.stop();
  idle.loop.start();
  expect(idle.attempts).toHaveLength(0);
  expect(idle.statuses).toEqual([{ state: 'stopped' }]);

  const waiting = createStage();
  waiting.loop.start();
  waiting.last().listener.onEnd({ kind: 'unreachable', reason: 'x' });
  await waiting.loop.stop();
  expect(waiting.clock.pendingTimers).toBe(0);
  expect(waiting.loop.status).toEqual({ state: 'stopped' });

  for (const isConnected of [false, true]) {
    const { clock, loop, last, statuses } = createStage();
    loop.start();
    if (isConnected) last().listener.onMessage(SYNC);
    const stopped = Promise.all([loop.stop(), loop.stop()]);
    expect(last().closedWith).toBe('the Host was stopped');
    expect(loop.status).toEqual({ state: 'stopped' });
    last().listener.onMessage(SYNC);
    last().listener.onEnd({ kind: 'dead', reason: 'the Host was stopped' });
    await stopped;
    await loop.stop();
    expect(statuses.filter(({ state }) => state === 'stopped')).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  }
});
