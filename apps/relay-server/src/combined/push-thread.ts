import type { Clock, Logger, Timer } from '@openchambery/daemon';
import { describeCrashPlace } from '../cli/crash.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** A worker thread, as far as it is needed here. */
export interface PushWorker {
  post(message: ToWorker): void;
  /** Ends it at once; its end is told like any other. */
  terminate(): void;
}

/** What a worker tells; nothing after `onEnd`. */
export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** The thread is gone: of an error nobody caught, or by itself. */
  onEnd(error: unknown): void;
}

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

/** What a worker says about requests. */
export type RequestMessage = Extract<FromWorker, { readonly id: number }>;

/** Push does not run; the message is one printable line for the operator. */
export class PushStartError extends Error {
  override readonly name = 'PushStartError';
  /** Stable across releases. */
  readonly code = 'ERR_PUSH_START';
}

/** How long a worker may take to open its database, in ms. */
const START_MS = 60_000;
/** Time between two questions whether the worker is alive, in ms, and how many may be open before it is ended. */
const PING_MS = 5000;
const MAX_OPEN_PINGS = 6;
/** The pause before a worker that died is replaced, in ms; it doubles while workers keep dying. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** Deliveries under way end within 5.5 s, then the database closes (push, section 5); what takes longer is cut, in ms. */
const CLOSE_MS = 8000;

/** What runs now, with the timer that watches it: start deadline, next ping, next attempt, close deadline. */
type State =
  | { readonly is: 'idle' }
  | { readonly is: 'starting'; readonly run: Run; readonly timer: Timer; readonly attempt: 'first' | 'later' }
  | { readonly is: 'running'; readonly run: Run; readonly sinceMs: number; timer: Timer; openPings: number }
  | { readonly is: 'pausing'; readonly timer: Timer }
  | { readonly is: 'closing'; readonly run: Run; readonly timer: Timer }
  | { readonly is: 'closed' };

/** One worker, and why it was ended or says it cannot serve. */
interface Run {
  readonly worker: PushWorker;
  reason: string | undefined;
}

/**
 * Keeps a worker thread running: starts it, asks it for signs of life, replaces it when it dies, ends it. Whatever
 * becomes of the worker costs the relay a message.
 */
export class PushThread {
  readonly #options: PushThreadOptions;
  #state: State = { is: 'idle' };
  #pauseMs = MIN_PAUSE_MS;
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

  /** Whether a worker serves; otherwise nothing that is posted arrives. */
  get isRunning(): boolean {
    return this.#state.is === 'running';
  }

  /** Tells the worker something, if there is one. */
  post(message: ToWorker): void {
    if (this.#state.is === 'running' || this.#state.is === 'closing') this.#state.run.worker.post(message);
  }

  /** Lets the worker finish, at most 8 s; resolves when it is gone. */
  close(): Promise<void> {
    const state = this.#state;
    switch (state.is) {
      case 'starting':
      case 'running': {
        state.timer.cancel();
        state.run.worker.post({ type: 'close' });
        const timer = this.#options.clock.setTimer(() => state.run.worker.terminate(), CLOSE_MS);
        this.#state = { is: 'closing', run: state.run, timer };
        break;
      }
      case 'idle':
      case 'pausing':
        if (state.is === 'pausing') state.timer.cancel();
        this.#state = { is: 'closed' };
        this.#closed.resolve();
        break;
      case 'closing':
      case 'closed':
        break;
    }
    return this.#closed.promise;
  }

  #launch(attempt: 'first' | 'later'): void {
    const run: Run = {
      worker: this.#options.startWorker({
        onMessage: (message) => this.#onMessage(run, message),
        onEnd: (error) => this.#onEnd(run, error),
      }),
      reason: undefined,
    };
    const timer = this.#options.clock.setTimer(() => {
      end(run, `it was not ready after ${START_MS / 1000} s`);
    }, START_MS);
    this.#state = { is: 'starting', run, timer, attempt };
  }

  #onMessage(run: Run, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#onReady(run);
        break;
      case 'failed':
        end(run, message.reason);
        break;
      case 'pong':
        if (this.#state.is === 'running') this.#state.openPings = 0;
        break;
      case 'log':
        this.#options.logger[message.level](message.fields, message.message);
        break;
      case 'closed':
        // Nothing is left that could need it.
        run.worker.terminate();
        break;
      default:
        this.#options.onMessage(message);
    }
  }

  #onReady(run: Run): void {
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
      return end(state.run, `it gave no sign of life for ${(PING_MS * MAX_OPEN_PINGS) / 1000} s`);
    }
    state.openPings += 1;
    state.run.worker.post({ type: 'ping' });
    state.timer = this.#pingLater();
  }

  #onEnd(run: Run, error: unknown): void {
    const state = this.#state;
    if (state.is !== 'starting' && state.is !== 'running' && state.is !== 'closing') return;
    state.timer.cancel();
    if (state.is === 'closing' || (state.is === 'starting' && state.attempt === 'first')) {
      this.#state = { is: 'closed' };
      this.#started.reject(new PushStartError(run.reason ?? describeEnd(error)));
      this.#closed.resolve();
    } else {
      const ranMs = state.is === 'running' ? this.#options.clock.monotonicMs() - state.sinceMs : 0;
      this.#replaceLater({ run, error, ranMs });
    }
    this.#options.onLost();
  }

  #replaceLater({ run, error, ranMs }: { run: Run; error: unknown; ranMs: number }): void {
    const { clock, logger } = this.#options;
    const pauseMs = ranMs >= MAX_PAUSE_MS ? MIN_PAUSE_MS : this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    this.#state = { is: 'pausing', timer: clock.setTimer(() => this.#launch('later'), pauseMs) };
    const crash = error === undefined ? {} : describeCrashPlace(error);
    logger.error({ reason: run.reason, ...crash, restartInMs: pauseMs }, 'push has stopped; tunnels go on');
  }
}

function end(run: Run, reason: string): void {
  run.reason ??= reason;
  run.worker.terminate();
}

/** Without the message of the error, which may quote anything. */
function describeEnd(error: unknown): string {
  if (!(error instanceof Error)) return 'its thread has ended';
  return `its thread has ended (${'code' in error ? String(error.code) : error.name})`;
}
