import type { ControlMessage } from '@openchambery/protocol';
import type { Clock, Timer } from '@openchambery/tunnel';
import type { HostStatus } from '../relay-host.ts';
import { Backoff } from './backoff.ts';
import type { ControlConnection, OpenControl } from './control-connection.ts';
import { judgeControlEnd, type ControlEnd, type ControlVerdict } from './control-end.ts';

type State =
  | { readonly phase: 'idle' }
  | { readonly phase: 'connecting' | 'connected'; readonly control: ControlConnection }
  | {
      readonly phase: 'waiting';
      readonly verdict: ControlVerdict;
      readonly retryInMs: number;
      readonly timer: Timer;
    }
  | { readonly phase: 'stopping'; readonly control: ControlConnection }
  | { readonly phase: 'stopped' };

/** What a control loop tells. */
export interface ControlLoopListener {
  onMessage(message: ControlMessage): void;
  /** The loop's status has changed; ask for it. */
  onStatus(status: HostStatus): void;
}

/** What a control loop works with. */
export interface ControlLoopOptions {
  readonly openControl: OpenControl;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

/** Keeps a control connection to the relay, from `start` to `stop`. */
export class ControlLoop {
  readonly #options: ControlLoopOptions;
  readonly #listener: ControlLoopListener;
  readonly #backoff: Backoff;
  #state: State = { phase: 'idle' };
  #onStopped: (() => void)[] = [];

  constructor(options: ControlLoopOptions, listener: ControlLoopListener) {
    this.#options = options;
    this.#listener = listener;
    this.#backoff = new Backoff(options);
  }

  get status(): HostStatus {
    switch (this.#state.phase) {
      case 'waiting':
        return waitingStatus(this.#state.verdict, this.#state.retryInMs);
      case 'stopping':
      case 'stopped':
        return { state: 'stopped' };
      default:
        return { state: this.#state.phase };
    }
  }

  /** Does nothing but the first time. */
  start(): void {
    if (this.#state.phase === 'idle') this.#connect();
  }

  /** Ends for good; resolves when the socket is gone. */
  stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#state.phase === 'stopped') resolve();
    else this.#onStopped.push(resolve);
    switch (this.#state.phase) {
      case 'connecting':
      case 'connected': {
        const { control } = this.#state;
        this.#enter({ phase: 'stopping', control });
        control.close('the Host was stopped');
        break;
      }
      case 'waiting':
        this.#state.timer.cancel();
        this.#stopped();
        break;
      case 'idle':
        this.#stopped();
        break;
      default:
    }
    return promise;
  }

  #connect(): void {
    const control = this.#options.openControl({
      onMessage: (message) => this.#onMessage(control, message),
      onEnd: (end) => this.#onEnd(end),
    });
    this.#enter({ phase: 'connecting', control });
  }

  #onMessage(control: ControlConnection, message: ControlMessage): void {
    if (this.#state.phase === 'connecting') {
      this.#backoff.connected();
      this.#enter({ phase: 'connected', control });
    }
    if (this.#state.phase === 'connected') this.#listener.onMessage(message);
  }

  #onEnd(end: ControlEnd): void {
    if (this.#state.phase === 'stopping') {
      this.#stopped();
      return;
    }
    const verdict = judgeControlEnd(end);
    const retryInMs = Math.round(this.#backoff.failed(verdict.loss));
    const timer = this.#options.clock.setTimer(() => this.#connect(), retryInMs);
    this.#enter({ phase: 'waiting', verdict, retryInMs, timer });
  }

  #stopped(): void {
    const wasStopping = this.#state.phase === 'stopping';
    if (wasStopping) this.#state = { phase: 'stopped' };
    else this.#enter({ phase: 'stopped' });
    for (const resolve of this.#onStopped.splice(0)) resolve();
  }

  #enter(state: State): void {
    this.#state = state;
    this.#listener.onStatus(this.status);
  }
}

function waitingStatus(verdict: ControlVerdict, retryInMs: number): HostStatus {
  const { reason } = verdict;
  if (verdict.loss === 'lost') return { state: 'reconnecting', reason, retryInMs };
  return { state: 'refused', code: verdict.code, reason, retryInMs };
}
