import { Worker } from 'node:worker_threads';
import type { FromWorker, WorkerStart } from './messages.ts';
import type { PushWorker, WorkerListener } from './worker-run.ts';

const DEFAULT_HEAP_MB = 256;
const YOUNG_GENERATION_MB = 32;

/** The code of a worker: a file, or in a program without files of its own what gives it as a CommonJS script. */
export type WorkerCode = URL | (() => string);

/** Starts a worker thread; never throws, a thread that cannot be started ends. */
export function startWorkerThread(
  code: WorkerCode,
  start: WorkerStart<object>,
  listener: WorkerListener,
): PushWorker {
  let worker: Worker;
  try {
    const resourceLimits = {
      maxOldGenerationSizeMb: start.heapMb ?? DEFAULT_HEAP_MB,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    };
    const options = { workerData: start, resourceLimits, name: 'push' };
    worker = code instanceof URL ? new Worker(code, options) : new Worker(code(), { ...options, eval: true });
  } catch (error) {
    queueMicrotask(() => listener.onEnd(error));
    return { post: ignore, terminate: ignore };
  }
  let lastError: unknown;
  worker.on('message', (message: FromWorker) => {
    try {
      listener.onMessage(message);
    } catch (error) {
      // Ours or the worker's fault, it must not be the relay's: a worker that is not understood has to go.
      lastError = error;
      void worker.terminate();
    }
  });
  worker.on('messageerror', (error) => (lastError = error));
  worker.on('error', (error) => (lastError = error));
  worker.once('exit', () => listener.onEnd(lastError));
  return {
    // Nothing is transferred: what is sent is small, and a pooled buffer cannot be.
    post: (message) => worker.postMessage(message, []),
    terminate: () => void worker.terminate(),
  };
}

function ignore(): void {
  // There is no thread.
}
