import { describe, expect, it } from 'vitest';
import { PushStartError } from '../../../src/combined/push-start-error.ts';
import { runningThread as running, threadScenario as scenario } from '../support/push-worker.ts';

describe('the start', () => {
  it('waits for the worker to be ready', async () => {
    const { thread, last } = scenario();
    const started = thread.start();
    expect(thread.isRunning).toBe(false);
    thread.post({ type: 'gone', id: 1 });
    last().say({ type: 'ready' });
    await started;
    expect(thread.isRunning).toBe(true);
    expect(last().inbox).toEqual([]);
  });

  it('fails with the reason that the worker gives, and is not tried again', async () => {
    const { thread, last, clock, log, workers } = scenario();
    const started = thread.start();
    last().say({ type: 'failed', reason: 'Cannot use it' });
    await expect(started).rejects.toEqual(new PushStartError('Cannot use it'));
    expect([last().isTerminated, clock.pendingTimers, workers.length, log]).toEqual([true, 0, 1, []]);
    await thread.close();
  });

  it('fails when the worker dies, without the message of its error', async () => {
    const { thread, last, clock } = scenario();
    const started = thread.start();
    last().die(Object.assign(new TypeError('SECRET'), { code: 'ERR_X' }));
    await expect(started).rejects.toEqual(new PushStartError('its thread has ended (ERR_X)'));
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails when the worker is not ready within a minute', async () => {
    const { thread, last, clock } = scenario();
    const started = thread.start();
    clock.advance(59_999);
    expect(last().isTerminated).toBe(false);
    clock.advance(1);
    await expect(started).rejects.toEqual(new PushStartError('it was not ready after 60 s'));
  });
});

describe('a worker that dies', () => {
  it('is told once in the log, with where and not with what', async () => {
    const { last, log, counts, thread } = await running();
    last().die(Object.assign(new TypeError('SECRET'), { code: 'ERR_X' }));
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject([
      'error',
      { error: 'TypeError', code: 'ERR_X', restartInMs: 1000 },
      /stopped/,
    ]);
    expect(JSON.stringify(log)).not.toContain('SECRET');
    expect(counts.lost).toBe(1);
    expect(thread.isRunning).toBe(false);
  });

  it('is replaced after 1 s, then 2, 4… up to 60', async () => {
    const { last, clock, workers, log } = await running();
    for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const before = workers.length;
      last().die();
      clock.advance(pauseMs - 1);
      expect(workers).toHaveLength(before);
      clock.advance(1);
      expect(workers).toHaveLength(before + 1);
    }
    expect(log.map(([, { restartInMs }]) => restartInMs)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
    ]);
  });

  it('is replaced after 1 s again once one has run for a minute', async () => {
    const { last, clock, log } = await running();
    last().die();
    clock.advance(1000);
    last().say({ type: 'ready' });
    last().die();
    clock.advance(2000);
    last().say({ type: 'ready' });
    for (let beat = 0; beat < 12; beat += 1) {
      clock.advance(5000);
      last().say({ type: 'pong' });
    }
    last().die();
    expect(log.map(([, { restartInMs }]) => restartInMs)).toEqual([1000, 2000, 1000]);
  });

  it('may be followed by one that cannot serve, which is told and replaced too', async () => {
    const { last, clock, log, workers, thread } = await running();
    last().die();
    clock.advance(1000);
    last().say({ type: 'failed', reason: 'Cannot use it' });
    expect(log[1]).toMatchObject(['error', { reason: 'Cannot use it', restartInMs: 2000 }, /stopped/]);
    clock.advance(2000);
    last().say({ type: 'ready' });
    expect([workers.length, thread.isRunning]).toEqual([3, true]);
  });
});

describe('a worker that hangs', () => {
  it('is ended after 30 s without a sign of life, and replaced', async () => {
    const { last, clock, log, workers } = await running();
    clock.advance(5000);
    last().say({ type: 'pong' });
    clock.advance(34_999);
    expect(last().isTerminated).toBe(false);
    expect(log).toEqual([]);
    expect(last().inbox).toEqual(Array.from({ length: 7 }, () => 'ping'));
    clock.advance(1);
    expect(workers[0]?.isTerminated).toBe(true);
    expect(log[0]).toMatchObject(['error', { reason: 'it gave no sign of life for 30 s' }, /stopped/]);
    clock.advance(1000);
    expect(workers).toHaveLength(2);
  });
});

describe('what a worker says', () => {
  it('goes into the log, or to those who wait for answers', async () => {
    const { last, log, counts } = await running();
    last().say(
      { type: 'log', level: 'warn', fields: { a: 1 }, message: 'hm' },
      { type: 'body-wanted', id: 1, maxBytes: 2 },
      { type: 'answer', id: 1, status: 200, headers: {}, body: '' },
    );
    expect(log).toEqual([['warn', { a: 1 }, 'hm']]);
    expect(counts.messages).toBe(2);
  });
});

describe('the end', () => {
  it('lets the worker finish', async () => {
    const { thread, last, clock, log, counts } = await running();
    const closed = thread.close();
    expect(thread.isRunning).toBe(false);
    thread.post({ type: 'body', id: 1, body: 'aborted' });
    expect(last().inbox).toEqual(['close', 'body']);
    last().say({ type: 'answer', id: 1, status: 200, headers: {}, body: '' }, { type: 'closed' });
    await closed;
    expect([counts, log, clock.pendingTimers]).toEqual([{ lost: 1, messages: 1 }, [], 0]);
    await thread.close();
  });

  it('cuts a worker that takes more than 8 s', async () => {
    const { thread, last, clock } = await running();
    const closed = thread.close();
    clock.advance(7999);
    expect(last().isTerminated).toBe(false);
    clock.advance(1);
    await closed;
    expect(last().isTerminated).toBe(true);
  });

  it('does not wait for a worker that is to come', async () => {
    const { thread, last, clock, workers } = await running();
    last().die();
    await thread.close();
    clock.advance(100_000);
    expect([workers.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('is over when the worker dies', async () => {
    const { thread, last, clock } = await running();
    const closed = thread.close();
    last().die(new Error('no'));
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a start, too', async () => {
    const { thread, last } = scenario();
    const started = thread.start();
    const closed = thread.close();
    last().say({ type: 'ready' }, { type: 'closed' });
    await closed;
    await expect(started).rejects.toBeInstanceOf(PushStartError);
  });

  it('of what was never started is at once', async () => {
    await scenario().thread.close();
  });
});
