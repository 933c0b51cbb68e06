import type { Clock, Timer } from '../clock.ts';
import { PIECE_COST_BYTES, type TunnelLimits } from './tunnel-limits.ts';

/** What a gate opens and shuts. */
export interface GatedChannel {
  pauseReading(): void;
  resumeReading(): void;
}

/**
 * Stops the reading from the network while a stream, or all of them together, hold too much that nobody has read, since
 * streams share one channel. A reader that takes nothing for too long while it holds up all others loses its stream, and so
 * does one that takes so little that nothing can be read for too long: the relay would end them all.
 */
export class ReadingGate {
  readonly #clock: Clock;
  readonly #limits: TunnelLimits;
  readonly #channel: GatedChannel;
  /** Accounts that have something. */
  readonly #filled = new Set<UnreadAccount>();
  /** Of those, the ones that have too much by themselves. */
  readonly #holders = new Set<UnreadAccount>();
  /** What all accounts have. */
  #unread = 0;
  /** Since when all together have too much, on the monotonic clock. */
  #crowdedSince: number | undefined;
  #timer: Timer | undefined;
  /** When the timer, if there is one, is due. */
  #lookAt = 0;

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
    return this.#holders.size > 0 || this.#crowdedSince !== undefined;
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

  /** An account has something more. @param cost of it */
  noteAdded(account: UnreadAccount, cost: number): void {
    const wasShut = this.isShut;
    const now = this.#clock.monotonicMs();
    this.#unread += cost;
    this.#filled.add(account);
    if (account.unread > this.#limits.unreadHighWaterBytes && !this.#holders.has(account)) {
      account.heldSince = now;
      account.lastTakenAt = now;
      this.#holders.add(account);
      this.#watch(account.patienceMs);
    }
    if (this.#unread > this.#limits.totalUnreadHighWaterBytes && this.#crowdedSince === undefined) {
      this.#crowdedSince = now;
      this.#watch(this.#limits.readerStallMs);
    }
    if (this.isShut && !wasShut) this.#channel.pauseReading();
  }

  /** A reader took something, or what was unread is gone. @param cost of it */
  noteGone(account: UnreadAccount, cost: number): void {
    const wasShut = this.isShut;
    const { unread } = account;
    this.#unread -= cost;
    if (wasShut) account.lastTakenAt = this.#clock.monotonicMs();
    if (unread === 0) this.#filled.delete(account);
    if (unread <= this.#limits.unreadHighWaterBytes / 2) this.#holders.delete(account);
    if (this.#unread <= this.#limits.totalUnreadHighWaterBytes / 2) this.#crowdedSince = undefined;
    if (wasShut && !this.isShut) this.#channel.resumeReading();
  }

  /** An account has less patience than it had. */
  look(): void {
    if (this.#timer !== undefined) this.#look();
  }

  #watch(delayMs: number): void {
    const dueAt = this.#clock.monotonicMs() + delayMs;
    if (this.#timer !== undefined && this.#lookAt <= dueAt) return;
    this.#timer?.cancel();
    this.#lookAt = dueAt;
    this.#timer = this.#clock.setTimer(() => {
      this.#timer = undefined;
      this.#look();
    }, delayMs);
  }

  #look(): void {
    const now = this.#clock.monotonicMs();
    const since = this.#crowdedSince;
    let nextAt = Number.POSITIVE_INFINITY;
    // Giving a stream up takes its account out of the set, and may take others out or put them in.
    for (const account of since === undefined ? this.#holders : this.#filled) {
      const isHolder = this.#holders.has(account);
      const from = isHolder ? account.lastTakenAt : Math.max(account.lastTakenAt, since ?? 0);
      const heldTooLongAt = isHolder
        ? account.heldSince + this.#limits.readerHoldMs
        : Number.POSITIVE_INFINITY;
      const stalledAt = Math.min(from + account.patienceMs, heldTooLongAt);
      if (stalledAt > now) nextAt = Math.min(nextAt, stalledAt);
      else if (isHolder || this.#crowdedSince !== undefined) account.stall();
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.isShut && nextAt !== Number.POSITIVE_INFINITY) this.#watch(nextAt - now);
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
  /** On the monotonic clock; kept while the gate is shut. */
  lastTakenAt = 0;
  /** Since when it has too much by itself, on the monotonic clock; kept while it has. */
  heldSince = 0;

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

  /** Something came that nobody waits for. */
  add(byteLength: number): void {
    this.#bytes += byteLength;
    this.#pieces += 1;
    this.#gate.noteAdded(this, byteLength + PIECE_COST_BYTES);
    if (this.unread > this.#limits.maxUnreadBytes && this.#pieces > 1) this.stall();
  }

  /** The reader took a piece. */
  take(byteLength: number): void {
    this.#bytes -= byteLength;
    this.#pieces -= 1;
    this.#patienceMs = this.#limits.readerStallMs;
    this.#gate.noteGone(this, byteLength + PIECE_COST_BYTES);
  }

  /** Most likely nobody reads any more: patience is short until something is taken. */
  hurry(): void {
    this.#patienceMs = this.#limits.answeredStallMs;
    this.#gate.look();
  }

  /** What was unread is gone. */
  clear(): void {
    const { unread } = this;
    if (unread === 0) return;
    this.#bytes = 0;
    this.#pieces = 0;
    this.#gate.noteGone(this, unread);
  }

  /** The stream is given up. */
  stall(): void {
    this.clear();
    this.#onStalled();
  }
}
