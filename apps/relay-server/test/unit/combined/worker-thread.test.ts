import { withTimeout } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { FromWorker, ToWorker } from '../../../src/combined/messages.ts';
import { startWorkerThread } from '../../../src/combined/worker-thread.ts';

const START = { options: {}, logLevel: 'info' } as const;

/** Runs a thread with this program; collects what it says until it has ended. */
function thread(program: string, file?: URL) {
  const source = `import { parentPort, workerData } from 'node:worker_threads'; ${program}`;
  const said: FromWorker[] = [];
  const first = Promise.withResolvers<FromWorker>();
  const ended = Promise.withResolvers<unknown>();
  const worker = startWorkerThread(
    file ?? new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    START,
    {
      onMessage: (message) => {
        if (message.type === 'answer') throw new RangeError('not understood');
        said.push(message);
        first.resolve(message);
      },
      onEnd: (error) => ended.resolve(error),
    },
  );
  return {
    worker,
    said,
    heard: () => withTimeout(first.promise, () => 'nothing was said'),
    ended: () => withTimeout(ended.promise, () => 'the thread goes on'),
  };
}

describe('a worker thread', () => {
  it('gets its start and messages, and is heard', async () => {
    const { worker, heard, said, ended } = thread(`
      parentPort.postMessage({ type: 'failed', reason: JSON.stringify(workerData) });
      parentPort.on('message', (message) => { parentPort.postMessage({ type: 'failed', reason: message.type }); parentPort.close(); });
    `);
    await heard();
    worker.post({ type: 'ping' } satisfies ToWorker);
    expect(await ended()).toBeUndefined();
    expect(said).toEqual([
      { type: 'failed', reason: JSON.stringify(START) },
      { type: 'failed', reason: 'ping' },
    ]);
  });

  it.each([
    ['throws', `throw new TypeError('boom')`, 'TypeError'],
    ['rejects', `Promise.reject(new RangeError('boom')); setInterval(() => {}, 1000)`, 'RangeError'],
  ])('that %s ends alone', async (_what, program, name) => {
    expect(await thread(program).ended()).toMatchObject({ name });
  });

  it('that exits ends alone', async () => {
    expect(await thread('process.exit(3)').ended()).toBeUndefined();
  });

  it('that needs too much memory ends alone', async () => {
    const hoard = 'const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()))';
    expect(await thread(hoard).ended()).toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  });

  it('that hangs can be ended', async () => {
    const { worker, heard, ended } = thread(`parentPort.postMessage({ type: 'pong' }); for (;;);`);
    await heard();
    worker.terminate();
    expect(await ended()).toBeUndefined();
  });

  it('that says what is not understood is ended', async () => {
    const { ended } = thread(`parentPort.postMessage({ type: 'answer' }); setInterval(() => {}, 1000)`);
    expect(await ended()).toMatchObject({ name: 'RangeError' });
  });

  it('that does not exist ends', async () => {
    expect(await thread('', new URL('file:///nowhere/worker.js')).ended()).toMatchObject({
      code: 'MODULE_NOT_FOUND',
    });
  });

  it('that cannot be started ends', async () => {
    expect(await thread('', new URL('https://x.invalid/')).ended()).toMatchObject({
      code: 'ERR_INVALID_URL_SCHEME',
    });
  });
});
