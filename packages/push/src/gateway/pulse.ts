import type { Clock, Timer } from '@openchambery/daemon';

/** What a {@link Pulse} needs of its connection. */
export interface PulseContext {
  readonly clock: Clock;
  readonly pingIdleMs: number;
  readonly pingTimeoutMs: number;
  readonly maxSilenceMs: number;
  /** Sends a PING (RFC 9113 section 6.7) and calls back when it is answered; need not call back otherwise. */
  readonly ping: (onAnswered: () => void) => void;
  /** The connection is alive after all: it may be used again. */
  readonly onAlive: () => void;
  /** The PING was not answered in time. */
  readonly onDead: () => void;
}

/**
 * - calm: the timer asks when nothing has been heard for long.
 * - asking: a PING is out; the connection takes no pushes meanwhile.
 * - stopped: of no interest any more.
 */
type State =
  | { readonly kind: 'calm'; readonly timer: Timer }
  | { readonly kind: 'asking'; readonly timer: Timer }
  | { readonly kind: 'stopped' };

/** Whether the peer of an open connection still lives; node:http2 sends PINGs but never misses an answer. */
export class Pulse {
  readonly #context: PulseContext;
  #heardAtMs: number;
  #state: State;

  constructor(context: PulseContext) {
    this.#context = context;
    this.#heardAtMs = context.clock.monotonicMs();
    this.#state = this.#calm(context.pingIdleMs);
  }

  get isAsking(): boolean {
    return this.#state.kind === 'asking';
  }

  /** Something came from the peer. */
  heard(): void {
    this.#heardAtMs = this.#context.clock.monotonicMs();
  }

  /** No answer came to what was sent at `sentAtMs`: unless anything else came since, asks. In doubt a PING too many. */
  doubt(sentAtMs: number): void {
    if (this.#state.kind === 'calm' && this.#heardAtMs <= sentAtMs) this.#ask();
  }

  /** Something is about to be sent: asks first when nothing has been heard for longer than `maxSilenceMs`. */
  probe(): void {
    const { clock, maxSilenceMs } = this.#context;
    if (this.#state.kind === 'calm' && clock.monotonicMs() - this.#heardAtMs > maxSilenceMs) this.#ask();
  }

  stop(): void {
    if (this.#state.kind !== 'stopped') this.#state.timer.cancel();
    this.#state = { kind: 'stopped' };
  }

  #calm(delayMs: number): State {
    return { kind: 'calm', timer: this.#context.clock.setTimer(() => this.#onIdleTimer(), delayMs) };
  }

  /** One timer an hour rather than a new one for each push. */
  #onIdleTimer(): void {
    const { clock, pingIdleMs } = this.#context;
    const leftMs = this.#heardAtMs + pingIdleMs - clock.monotonicMs();
    if (leftMs <= 0) this.#ask();
    else this.#state = this.#calm(leftMs);
  }

  #ask(): void {
    if (this.#state.kind === 'calm') this.#state.timer.cancel();
    this.#waitHalf(() => this.#waitHalf(() => this.#context.onDead()));
    this.#context.ping(() => {
      if (this.#state.kind !== 'asking') return;
      this.#state.timer.cancel();
      this.heard();
      this.#state = this.#calm(this.#context.pingIdleMs);
      this.#context.onAlive();
    });
  }

  /** In two halves: in between, a process that was held up itself reads what has been there all along. */
  #waitHalf(next: () => void): void {
    const { clock, pingTimeoutMs } = this.#context;
    this.#state = { kind: 'asking', timer: clock.setTimer(next, pingTimeoutMs / 2) };
  }
}
