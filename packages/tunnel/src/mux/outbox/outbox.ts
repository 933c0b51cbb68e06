import type { Clock, Timer } from '../../clock.ts';
import { BATCH } from '../../limits.ts';
import type { TunnelLimits } from '../tunnel-limits.ts';
import { Lane, type LaneOwner, OutboxLoad } from './lane.ts';
import { PlaintextBuilder } from './outgoing-frame.ts';
import { Relief } from './relief.ts';
import { Sweeps } from './sweeps.ts';
import { Turns } from './turns.ts';

/** Where plaintexts go. */
export interface PlaintextSink {
  send(plaintext: Uint8Array): void;
  /** Bytes that were sent and have not left. */
  readonly pendingBytes: number;
}

type OutboxState =
  /** The channel is not established. */
  | { readonly name: 'waiting' }
  | { readonly name: 'open'; readonly sink: PlaintextSink; readonly isBatching: boolean }
  | { readonly name: 'closed' };

/**
 * Everything a tunnel has to send: a lane per stream, served fairly, and only while the channel has little on its way, so
 * that what comes late but is small does not stand behind what came early and is long.
 *
 * What is urgent goes at the end of the current microtask turn, so that a head, a body and its end share a message. What is
 * patient goes at once after a quiet window, and otherwise when the window is over or enough has come together (`BATCH`).
 */
export class Outbox implements LaneOwner {
  readonly load: OutboxLoad = new OutboxLoad();
  readonly #clock: Clock;
  readonly #limits: TunnelLimits;
  readonly #turns = new Turns();
  readonly #relief = new Relief();
  readonly #sweeps = new Sweeps();
  #state: OutboxState = { name: 'waiting' };
  #sentBytes = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  /** Since when the oldest of what waits has been waiting at most. */
  #heldSince = 0;
  /** Cost of what waited when its time was up: goes without looking further. */
  #overdueCost = 0;
  #timer: Timer | undefined;
  #isScheduled = false;
  #isPumping = false;
  /** Whether something was due that the channel had no room for. */
  #isBlocked = false;

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: TunnelLimits }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Payload bytes sent so far. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** When the last plaintext was sent, on the monotonic clock. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  get isFull(): boolean {
    return this.load.cost >= this.#limits.totalHighWaterBytes;
  }

  /** Places in the order of lanes and among those that wait for room. */
  get listedLanes(): number {
    return this.#turns.size + this.#relief.size;
  }

  /** Makes the lane of a stream. @param onRelief called when a lane that was full takes more again */
  createLane(onRelief: () => void): Lane {
    return new Lane(this, { highWaterBytes: this.#limits.streamHighWaterBytes, onRelief });
  }

  /** The channel is established. */
  open(sink: PlaintextSink, { isBatching }: { readonly isBatching: boolean }): void {
    if (this.#state.name !== 'waiting') return;
    this.#state = { name: 'open', sink, isBatching };
    this.#schedule();
  }

  /** The channel is gone: everything that waits is forgotten, and so is what is pushed from now on. */
  close(): void {
    this.#state = { name: 'closed' };
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#turns.dropAll();
  }

  /** The channel has taken something. @returns whether that made room for what had none */
  pumpAfterDrain(): boolean {
    const { sentBytes, lastSentAt } = this;
    const wasBlocked = this.#isBlocked;
    this.pump();
    return wasBlocked && (this.sentBytes > sentBytes || this.lastSentAt > lastSentAt);
  }

  /** Sends what is due, as far as the channel takes it. */
  pump(): void {
    const state = this.#state;
    if (state.name !== 'open' || this.#isPumping) return;
    const { sink, isBatching } = state;
    // The little that waits goes along with what goes at once.
    if (this.load.urgentPieces > 0 && this.load.bytes < BATCH.maxBytes) this.#overdueCost = this.load.cost;
    this.#isPumping = true;
    while (this.#isDue() && sink.pendingBytes < this.#limits.channelHighWaterBytes) {
      sink.send(this.#take(isBatching));
    }
    this.#isPumping = false;
    this.#isBlocked = this.#isDue();
    this.#watchWindow();
    const { cost } = this.load;
    this.#relief.give(cost === 0 ? Number.POSITIVE_INFINITY : this.#limits.totalHighWaterBytes - cost);
  }

  onPushed(lane: Lane): void {
    if (this.#state.name === 'closed') return lane.drop();
    if (this.load.pieces === 1) this.#heldSince = this.#clock.monotonicMs();
    this.#turns.enlist(lane);
    if (this.#isScheduled) return;
    if (this.#isDue()) this.#schedule();
    else this.#watchWindow();
  }

  onDropped(): void {
    if (this.#sweeps.isDueAfterDrop(this.listedLanes)) {
      this.#turns.sweep();
      this.#relief.sweep();
    }
    // Others may have waited for the room.
    this.#schedule();
  }

  onHungry(lane: Lane): void {
    this.#relief.add(lane);
    if (!this.#isPumping) this.#schedule();
  }

  #take(isBatching: boolean): Uint8Array {
    const { bytes, cost } = this.load;
    const builder = new PlaintextBuilder({ isBatching, maxFrames: BATCH.maxFrames });
    this.#turns.serve(builder);
    const now = this.#clock.monotonicMs();
    this.#lastSentAt = now;
    this.#sentBytes += bytes - this.load.bytes;
    if (this.#overdueCost > 0) {
      this.#overdueCost = Math.max(0, this.#overdueCost - (cost - this.load.cost));
      if (this.#overdueCost === 0) this.#heldSince = now;
    }
    return builder.build();
  }

  #isDue(): boolean {
    const { load } = this;
    if (load.lanes === 0) {
      this.#overdueCost = 0;
      return false;
    }
    if (load.urgentPieces > 0 || this.#overdueCost > 0) return true;
    if (load.bytes >= BATCH.maxBytes || load.lanes >= BATCH.maxFrames) return true;
    if (this.#clock.monotonicMs() < this.#windowEnd) return false;
    this.#overdueCost = load.cost;
    return true;
  }

  /** A quiet window has no sending in it: what waits goes at once after one. */
  get #windowEnd(): number {
    return Math.min(this.#lastSentAt, this.#heldSince) + BATCH.maxWaitMs;
  }

  #watchWindow(): void {
    if (this.#timer !== undefined || this.load.lanes === 0 || this.#state.name !== 'open') return;
    // The channel is full, and will say when it is not.
    if (this.#isDue()) return;
    // Never set again while it runs: when it comes too early, it is set for the rest.
    this.#timer = this.#clock.setTimer(() => {
      this.#timer = undefined;
      this.pump();
    }, this.#windowEnd - this.#clock.monotonicMs());
  }

  #schedule(): void {
    if (this.#isScheduled || this.#state.name !== 'open') return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.pump();
    });
  }
}
