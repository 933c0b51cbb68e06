import type { Clock, Timer } from '../clock.ts';
import { PIECE_COST_BYTES, type TunnelLimits } from './tunnel-limits.ts';

/** What a gate opens and shuts. */
export interface GatedChannel {
  pauseReading(): void;
  resumeReading(): void;
}

/**
 * Stops the reading from the network while a stream holds too much that nobody has read, since streams share one channel.
 * A reader that takes nothing for too long while it holds up all others loses its stream: the relay would end them all.
 */
export class ReadingGate {
  readonly #clock: Clock;
  readonly #limits: TunnelLimits;
  readonly #channel: GatedChannel;
  readonly #holders = new Set<UnreadAccount>();
  #timer: Timer | undefined;

  constructor(
    channel: GatedChannel,
    { clock, limits }: { readonly clock: Clock; readonly limits: TunnelLimits },
  ) {
    this.#channel = channel;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether nothing is read at the moment. */
  get isShut(): boolean {
    return this.#holders.size > 0;
  }

  /** Opens the account of a stream. @param onStalled the stream has to be given up */
  openAccount(onStalled: () => void): UnreadAccount {
    return new UnreadAccount({ gate: this, limits: this.#limits, onStalled });
  }

  /** Stops watching; for a channel that has ended. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** An account has too much. */
  hold(account: UnreadAccount): void {
    account.lastTakenAt = this.#clock.monotonicMs();
    if (this.#holders.size === 0) this.#channel.pauseReading();
    this.#holders.add(account);
    this.#watch(account.patienceMs);
  }

  /** An account has little again. */
  release(account: UnreadAccount): void {
    if (this.#holders.delete(account) && this.#holders.size === 0) this.#channel.resumeReading();
  }

  isHolding(account: UnreadAccount): boolean {
    return this.#holders.has(account);
  }

  /** A reader took something. */
  noteTaken(account: UnreadAccount): void {
    account.lastTakenAt = this.#clock.monotonicMs();
  }

  /** An account has less patience than it had. */
  look(): void {
    if (this.#timer !== undefined) this.#look();
  }

  #watch(delayMs: number): void {
    this.#timer ??= this.#clock.setTimer(() => {
      this.#timer = undefined;
      this.#look();
    }, delayMs);
  }

  #look(): void {
    const now = this.#clock.monotonicMs();
    let nextAt = Number.POSITIVE_INFINITY;
    // Giving a stream up takes its account out of the set, and may take others out or put them in.
    for (const account of this.#holders) {
      const stalledAt = account.lastTakenAt + account.patienceMs;
      if (stalledAt <= now) account.stall();
      else nextAt = Math.min(nextAt, stalledAt);
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    if (nextAt !== Number.POSITIVE_INFINITY) this.#watch(nextAt - now);
  }
}

/** What came for one stream and was not read: bytes, with `PIECE_COST_BYTES` for each piece. */
export class UnreadAccount {
  readonly #gate: ReadingGate;
  readonly #limits: TunnelLimits;
  readonly #onStalled: () => void;
  #bytes = 0;
  #pieces = 0;
  #patienceMs: number;
  /** On the monotonic clock; kept while the account holds the gate. */
  lastTakenAt = 0;

  constructor({
    gate,
    limits,
    onStalled,
  }: { gate: ReadingGate; limits: TunnelLimits; onStalled: () => void }) {
    this.#gate = gate;
    this.#limits = limits;
    this.#onStalled = onStalled;
    this.#patienceMs = limits.readerStallMs;
  }

  /** How long the reader may hold up the channel without taking anything, in ms. */
  get patienceMs(): number {
    return this.#patienceMs;
  }

  get unread(): number {
    return this.#bytes + this.#pieces * PIECE_COST_BYTES;
  }

  /** Whether this is what stops the reading, perhaps along with others. */
  get isHolding(): boolean {
    return this.#gate.isHolding(this);
  }

  /** Something came that nobody waits for. */
  add(byteLength: number): void {
    this.#bytes += byteLength;
    this.#pieces += 1;
    const { unread } = this;
    if (unread > this.#limits.maxUnreadBytes && this.#pieces > 1) return this.stall();
    if (unread > this.#limits.unreadHighWaterBytes && !this.isHolding) this.#gate.hold(this);
  }

  /** The reader took a piece. */
  take(byteLength: number): void {
    this.#bytes -= byteLength;
    this.#pieces -= 1;
    this.#patienceMs = this.#limits.readerStallMs;
    if (!this.isHolding) return;
    this.#gate.noteTaken(this);
    if (this.unread <= this.#limits.unreadHighWaterBytes / 2) this.#gate.release(this);
  }

  /** Most likely nobody reads any more: patience is short until something is taken. */
  hurry(): void {
    this.#patienceMs = this.#limits.answeredStallMs;
    this.#gate.look();
  }

  /** What was unread is gone. */
  clear(): void {
    this.#bytes = 0;
    this.#pieces = 0;
    this.#gate.release(this);
  }

  /** The stream is given up. */
  stall(): void {
    this.clear();
    this.#onStalled();
  }
}
