import type { Clock, Logger, Timer } from '@openchambery/daemon';
import { describeCrashPlace } from '../cli/crash.ts';
import type { FromWorker, RequestMessage, ToWorker } from './messages.ts';
import { describeEnd, PushStartError } from './push-start-error.ts';
import { RestartPause } from './restart-pause.ts';
import { WorkerRun } from './worker-run.ts';
import type { PushWorker, ThreadEnd, WorkerListener } from './worker-run.ts';

/** What a {@link PushThread} needs. */
export interface PushThreadOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  startWorker(listener: WorkerListener): PushWorker;
  /** Everything the worker says about requests. */
  onMessage(message: RequestMessage): void;
  /** No request that the worker had will be answered. */
  onLost(): void;
}

/** How long a worker may take to open its database, in ms. */
const START_MS = 60_000;
/** Time between two questions whether the worker is alive, in ms, and how many may be open before it is given up. */
const PING_MS = 5000;
const MAX_OPEN_PINGS = 6;
/** With so many questions open a worker gets no new requests: it has been silent for 5 s or more. */
const SILENT_PINGS = 2;
/** Deliveries under way end within 5.5 s, then the database closes (push, section 5); what takes longer is cut, in ms. */
const CLOSE_MS = 8000;
/** A thread that has been cut is gone within this time, or hangs in the operating system; in ms. */
const CUT_MS = 500;
/** A thread that is still there so long after it was given up is worth a line of its own, in ms. */
const STUCK_MS = 10_000;

/** What runs now, with the timer that watches it: start deadline, next ping, next attempt, close deadline. */
type State =
  | { readonly is: 'idle' }
  | {
      readonly is: 'starting';
      readonly run: WorkerRun;
      readonly timer: Timer;
      readonly attempt: 'first' | 'later';
    }
  | {
      readonly is: 'running';
      readonly run: WorkerRun;
      readonly sinceMs: number;
      timer: Timer;
      openPings: number;
    }
  /** Given up, and its thread still there: it holds the database, so nobody can take its place yet. */
  | { readonly is: 'ending'; readonly pauseMs: number; readonly timer: Timer }
  | { readonly is: 'pausing'; readonly timer: Timer }
  | { readonly is: 'closing'; readonly run: WorkerRun; readonly timer: Timer }
  | { readonly is: 'closed' };

/** With a worker that is not to end. */
type Alive = Extract<State, { is: 'starting' | 'running' }>;

/**
 * Keeps a worker thread running: starts it, asks it for signs of life, replaces it when it dies, ends it. Whatever
 * becomes of the worker costs the relay a message.
 */
export class PushThread {
  readonly #options: PushThreadOptions;
  #state: State = { is: 'idle' };
  /** The latest worker; there is only ever one whose thread is not gone. */
  #latest: WorkerRun | undefined;
  readonly #pause = new RestartPause();
  #cutting: Promise<ThreadEnd> | undefined;
  /** Of the first start: settled once. */
  readonly #started: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #closed: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(options: PushThreadOptions) {
    this.#options = options;
  }

  /**
   * Starts the first worker; resolves when it serves.
   * @throws {PushStartError} (rejects) when it cannot: later workers are tried again and again.
   */
  start(): Promise<void> {
    this.#launch('first');
    return this.#started.promise;
  }

  /** Whether a worker serves; otherwise it is not to be told of new requests. */
  get isRunning(): boolean {
    return this.#state.is === 'running' && this.#state.openPings < SILENT_PINGS;
  }

  /** Tells the worker something, if there is one. */
  post(message: ToWorker): void {
    if (this.#state.is === 'running' || this.#state.is === 'closing') this.#state.run.post(message);
  }

  /** Lets the worker finish; resolves when it is gone, or after 8 s, when it is cut. */
  close(): Promise<void> {
    const state = this.#state;
    switch (state.is) {
      case 'starting':
      case 'running': {
        state.timer.cancel();
        state.run.post({ type: 'close' });
        const timer = this.#options.clock.setTimer(() => void this.cut(), CLOSE_MS);
        this.#state = { is: 'closing', run: state.run, timer };
        break;
      }
      case 'closing':
      case 'closed':
        break;
      default:
        this.#finish('push was closed');
    }
    return this.#closed.promise;
  }

  /** Ends the worker at once, for good; within 0.5 s it is known whether its thread is gone. */
  cut(): Promise<ThreadEnd> {
    this.#finish('it was cut');
    const run = this.#latest;
    run?.terminate();
    this.#cutting ??= run?.whenGone(this.#options.clock, CUT_MS) ?? Promise.resolve('gone');
    return this.#cutting;
  }

  #launch(attempt: 'first' | 'later'): void {
    const run = new WorkerRun((listener) => this.#options.startWorker(listener), {
      onMessage: (from, message) => this.#onMessage(from, message),
      onEnd: (error) => this.#onEnd(error),
    });
    this.#latest = run;
    const timer = this.#options.clock.setTimer(() => {
      this.#giveUp(run, `it was not ready after ${START_MS / 1000} s`);
    }, START_MS);
    this.#state = { is: 'starting', run, timer, attempt };
  }

  #onMessage(run: WorkerRun, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#onReady(run);
        break;
      case 'failed':
        this.#giveUp(run, message.reason);
        break;
      case 'pong':
        if (this.#state.is === 'running') this.#state.openPings = 0;
        break;
      case 'log':
        this.#options.logger[message.level](message.fields, message.message);
        break;
      case 'closed':
        // Nothing is left that could need it.
        run.terminate();
        break;
      default:
        this.#options.onMessage(message);
    }
  }

  #onReady(run: WorkerRun): void {
    if (this.#state.is !== 'starting') return;
    this.#state.timer.cancel();
    const sinceMs = this.#options.clock.monotonicMs();
    this.#state = { is: 'running', run, sinceMs, timer: this.#pingLater(), openPings: 0 };
    this.#started.resolve();
  }

  #pingLater(): Timer {
    return this.#options.clock.setTimer(() => this.#ping(), PING_MS);
  }

  #ping(): void {
    const state = this.#state;
    if (state.is !== 'running') return;
    if (state.openPings >= MAX_OPEN_PINGS) {
      return this.#giveUp(state.run, `it gave no sign of life for ${(PING_MS * MAX_OPEN_PINGS) / 1000} s`);
    }
    state.openPings += 1;
    state.run.post({ type: 'ping' });
    state.timer = this.#pingLater();
  }

  /** A worker of no use goes; from now on nobody waits for it, whenever its thread may end. */
  #giveUp(run: WorkerRun, reason: string): void {
    const state = this.#state;
    if (state.is === 'starting' && state.attempt === 'first') {
      this.#finish(reason);
    } else if (state.is === 'starting' || state.is === 'running') {
      const pauseMs = this.#leave(state, { reason });
      const timer = this.#options.clock.setTimer(() => this.#reportStuck(), STUCK_MS);
      this.#state = { is: 'ending', pauseMs, timer };
      this.#options.onLost();
    }
    run.terminate();
  }

  #onEnd(error: unknown): void {
    const state = this.#state;
    switch (state.is) {
      case 'starting':
      case 'running':
        return this.#onDeath(state, error);
      case 'ending':
        state.timer.cancel();
        return this.#launchLater(state.pauseMs);
      case 'closing':
        return this.#finish(describeEnd(error));
      default:
    }
  }

  #onDeath(state: Alive, error: unknown): void {
    if (state.is === 'starting' && state.attempt === 'first') return this.#finish(describeEnd(error));
    this.#launchLater(this.#leave(state, error === undefined ? {} : describeCrashPlace(error)));
    this.#options.onLost();
  }

  /** Tells that push has stopped; gives back how long the next worker has to wait, in ms. */
  #leave(state: Alive, why: Record<string, unknown>): number {
    state.timer.cancel();
    const { clock, logger } = this.#options;
    const ranMs = state.is === 'running' ? clock.monotonicMs() - state.sinceMs : 0;
    const pauseMs = this.#pause.after(ranMs);
    logger.error({ ...why, restartInMs: pauseMs }, 'push has stopped; tunnels go on');
    return pauseMs;
  }

  #launchLater(pauseMs: number): void {
    const timer = this.#options.clock.setTimer(() => this.#launch('later'), pauseMs);
    this.#state = { is: 'pausing', timer };
  }

  #reportStuck(): void {
    const reason = 'its thread hangs in the operating system, on a disk for example, and holds the database';
    this.#options.logger.error({ reason }, 'push cannot be restarted until its thread ends; tunnels go on');
  }

  /** The last state; `reason` is for whoever still waits for the start. */
  #finish(reason: string): void {
    const state = this.#state;
    if (state.is === 'closed') return;
    if (state.is !== 'idle') state.timer.cancel();
    this.#state = { is: 'closed' };
    if (state.is === 'starting' || state.is === 'closing') this.#started.reject(new PushStartError(reason));
    this.#closed.resolve();
    this.#options.onLost();
  }
}
