import type { Clock } from '@openchambery/daemon';
import type { FromWorker, ToWorker } from './messages.ts';

/** A worker thread, as far as it is needed here. */
export interface PushWorker {
  post(message: ToWorker): void;
  /** Ends it at once, unless it hangs in the operating system; its end is told like any other. */
  terminate(): void;
}

/** What a worker tells; nothing after `onEnd`. */
export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** The thread is gone: of an error nobody caught, or by itself. */
  onEnd(error: unknown): void;
}

/** What became of a thread that was told to end; one that is `stuck` ends when the operating system lets go of it. */
export type ThreadEnd = 'gone' | 'stuck';

/** What a {@link WorkerRun} tells whoever keeps it. */
export interface RunListener {
  onMessage(run: WorkerRun, message: FromWorker): void;
  onEnd(error: unknown): void;
}

/** One worker, from its start until its thread is gone. */
export class WorkerRun {
  readonly #worker: PushWorker;
  readonly #onGone: (() => void)[] = [];
  #isGone = false;

  constructor(startWorker: (listener: WorkerListener) => PushWorker, listener: RunListener) {
    this.#worker = startWorker({
      onMessage: (message) => listener.onMessage(this, message),
      onEnd: (error) => {
        this.#isGone = true;
        for (const resolve of this.#onGone.splice(0)) resolve();
        listener.onEnd(error);
      },
    });
  }

  post(message: ToWorker): void {
    this.#worker.post(message);
  }

  /** Ends the thread, as far as that can be done. */
  terminate(): void {
    this.#worker.terminate();
  }

  /** Waits `ms` at most for the thread to be gone. */
  whenGone(clock: Clock, ms: number): Promise<ThreadEnd> {
    if (this.#isGone) return Promise.resolve('gone');
    return new Promise((resolve) => {
      const timer = clock.setTimer(() => resolve('stuck'), ms);
      this.#onGone.push(() => {
        timer.cancel();
        resolve('gone');
      });
    });
  }
}
