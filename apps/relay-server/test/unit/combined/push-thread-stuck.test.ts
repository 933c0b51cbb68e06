import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, withTimeout } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PushStartError } from '../../../src/combined/push-start-error.ts';
import { WorkerRun } from '../../../src/combined/worker-run.ts';
import { startWorkerThread } from '../../../src/combined/worker-thread.ts';
import { runningThread, threadScenario } from '../support/push-worker.ts';

// A thread in a call of the operating system that does not return cannot be ended by anybody.

/** A first worker that serves, and will not end when it is told to. */
async function stuckThread() {
  const world = await runningThread();
  world.last().isStuck = true;
  return world;
}

describe('a worker that is silent', () => {
  it('gets no new requests from the second open ping on, until it is heard', async () => {
    const { thread, last, clock } = await stuckThread();
    clock.advance(9999);
    expect(thread.isRunning).toBe(true);
    clock.advance(1);
    expect(thread.isRunning).toBe(false);
    thread.post({ type: 'gone', id: 1 });
    expect(last().inbox).toEqual(['ping', 'ping', 'gone']);
    last().say({ type: 'pong' });
    expect(thread.isRunning).toBe(true);
  });

  it('is given up after 30 s, told and left at once, though its thread is still there', async () => {
    const { thread, last, clock, log, counts } = await stuckThread();
    clock.advance(34_999);
    expect([log, counts.lost, last().isTerminated]).toEqual([[], 0, false]);
    clock.advance(1);
    expect(last().isTerminated).toBe(true);
    expect(log).toMatchObject([['error', { reason: 'it gave no sign of life for 30 s' }, /stopped/]]);
    expect([thread.isRunning, counts.lost]).toEqual([false, 1]);
    const before = last().inbox.length;
    thread.post({ type: 'gone', id: 1 });
    expect(last().inbox).toHaveLength(before);
  });

  it('is replaced only when its thread is gone, for it holds the database; after 10 s that is told', async () => {
    const { last, clock, log, workers, counts } = await stuckThread();
    clock.advance(35_000 + 9999);
    expect(log).toHaveLength(1);
    clock.advance(1);
    expect(log[1]).toMatchObject(['error', { reason: /operating system/ }, /cannot be restarted/]);
    clock.advance(1_000_000);
    expect([log.length, workers.length, clock.pendingTimers]).toEqual([2, 1, 0]);
    last().say({ type: 'ready' }, { type: 'pong' }, { type: 'closed' });
    last().die();
    clock.advance(999);
    expect(workers).toHaveLength(1);
    clock.advance(1);
    expect([workers.length, counts.lost]).toEqual([2, 1]);
  });
});

describe('a start that hangs', () => {
  it('fails after a minute, thread or not', async () => {
    const { thread, last, clock } = threadScenario();
    const started = thread.start();
    last().isStuck = true;
    clock.advance(60_000);
    await expect(started).rejects.toEqual(new PushStartError('it was not ready after 60 s'));
    const cut = thread.cut();
    clock.advance(500);
    expect(await cut).toBe('stuck');
  });
});

describe('the end', () => {
  it('does not wait longer than 8 s for a thread that hangs', async () => {
    const { thread, last, clock, counts } = await stuckThread();
    let isClosed = false;
    const closed = thread.close().then(() => (isClosed = true));
    clock.advance(7999);
    await Promise.resolve();
    expect([isClosed, last().isTerminated]).toEqual([false, false]);
    clock.advance(1);
    await closed;
    expect(last().isTerminated).toBe(true);
    clock.advance(500);
    expect([counts.lost, clock.pendingTimers, await thread.cut()]).toEqual([1, 0, 'stuck']);
  });

  it('does not wait at all for one that was given up', async () => {
    const { thread, clock, workers } = await stuckThread();
    clock.advance(35_000);
    await thread.close();
    workers[0]?.die();
    clock.advance(100_000);
    expect([workers.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it.each([false, true])('can be had at once; stuck: %j', async (isStuck) => {
    const { thread, last, clock, workers, log } = await runningThread();
    last().isStuck = isStuck;
    const cut = thread.cut();
    clock.advance(500);
    expect(await cut).toBe(isStuck ? 'stuck' : 'gone');
    await thread.close();
    clock.advance(100_000);
    expect([workers.length, clock.pendingTimers, log]).toEqual([1, 0, []]);
  });

  it('of what never was is there', async () => {
    expect(await threadScenario().thread.cut()).toBe('gone');
  });
});

describe('a real thread in a call that does not return', () => {
  it('is stuck, and gone once the call returns', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stuck-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [ready, release] = [join(folder, 'ready'), join(folder, 'release')];
    execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', ready, release]);
    const program = `
      import { execFileSync } from 'node:child_process';
      execFileSync('sh', ['-c', 'echo > "$1"; read line < "$2"', 'sh', ...${JSON.stringify([ready, release])}]);`;
    const code = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const start = { options: {}, logLevel: 'info' } as const;
    const clock = new FakeClock();
    const run = new WorkerRun((listener) => startWorkerThread(code, start, listener), {
      onMessage: () => undefined,
      onEnd: () => undefined,
    });
    await withTimeout(readFile(ready), () => 'the thread does not wait');
    run.terminate();
    const end = run.whenGone(clock, 500);
    clock.advance(500);
    expect(await end).toBe('stuck');
    const gone = run.whenGone(clock, 500);
    await writeFile(release, '\n');
    expect(await withTimeout(gone, () => 'the thread goes on')).toBe('gone');
    expect([await run.whenGone(clock, 1), clock.pendingTimers]).toEqual(['gone', 0]);
  });
});
