import type { LanePlan } from './plan.ts';
import type { Progress } from './progress.ts';
import type { Random } from './random.ts';

/** The reading end of a lane. */
export interface LaneSink {
  /** Whether bytes may arrive now. */
  readonly isReading: boolean;
  readonly isGone: boolean;
  arrive(bytes: Buffer): void;
  arriveEnd(): void;
  arriveReset(): void;
}

interface Pending {
  bytes: Buffer;
  readonly done: (error?: Error) => void;
}

/**
 * One direction of a TCP connection in memory: a kernel's buffer of some size, from which chunks of any size arrive,
 * one in a turn, as long as the other end reads.
 */
export class MemoryLane {
  sink: LaneSink | undefined;
  readonly #plan: LanePlan;
  readonly #random: Random;
  readonly #progress: Progress;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #pending: Pending | undefined;
  #end: 'open' | 'ended' | 'reset' | 'over' = 'open';
  #isScheduled = false;

  constructor(plan: LanePlan, random: Random, progress: Progress) {
    this.#plan = plan;
    this.#random = random;
    this.#progress = progress;
  }

  /** Bytes given to the lane that its buffer has no room for. */
  get unsentBytes(): number {
    return this.#pending?.bytes.length ?? 0;
  }

  /** Whether bytes wait in the buffer. */
  get isFilled(): boolean {
    return this.#bufferedBytes > 0;
  }

  /** Takes bytes, at once as far as there is room; `done` is called when all of them are taken. */
  offer(bytes: Buffer, done: (error?: Error) => void): void {
    this.#progress.note();
    if (this.sink?.isGone === true || this.#end !== 'open') {
      // The kernel takes what nobody will read, and answers with a reset later.
      done();
      return;
    }
    this.#pending = { bytes, done };
    this.#admit();
    this.schedule();
  }

  /** The sender has ended its side, behind everything it gave. */
  finish(): void {
    if (this.#end === 'open') this.#end = 'ended';
    this.schedule();
  }

  /** The connection is broken: what is on its way is lost. */
  reset(): void {
    if (this.#end === 'over') return;
    this.#end = 'reset';
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.dropPending();
    this.schedule();
  }

  /** A write that waits for room fails. */
  dropPending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) setImmediate(() => pending.done(new Error('ECONNRESET')));
  }

  /** Lets something arrive in the next turn, if there is something and the other end reads. */
  schedule(): void {
    if (this.#isScheduled || this.#end === 'over') return;
    if (this.#bufferedBytes === 0 && this.#end === 'open') return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #admit(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const room = Math.max(0, this.#plan.capacityBytes - this.#bufferedBytes);
    const taken = Buffer.from(pending.bytes.subarray(0, room));
    if (taken.length > 0) this.#buffered.push(taken);
    this.#bufferedBytes += taken.length;
    pending.bytes = pending.bytes.subarray(taken.length);
    if (pending.bytes.length > 0) return;
    this.#pending = undefined;
    pending.done();
  }

  #deliver(): void {
    const { sink } = this;
    if (sink === undefined || sink.isGone || !sink.isReading) return;
    this.#progress.note();
    if (this.#end === 'reset') {
      this.#end = 'over';
      sink.arriveReset();
    } else if (this.#bufferedBytes > 0) {
      sink.arrive(this.#takeChunk());
      this.#admit();
      this.schedule();
    } else if (this.#end === 'ended') {
      this.#end = 'over';
      sink.arriveEnd();
    }
  }

  #takeChunk(): Buffer {
    const all = this.#buffered.length === 1 ? (this.#buffered[0] as Buffer) : Buffer.concat(this.#buffered);
    // Pieces so small only where the whole is: a case must not take thousands of turns.
    const least = Math.min(this.#plan.maxChunkBytes, 1 + (all.length >> 4));
    const chunk = all.subarray(0, this.#random.integer(least, this.#plan.maxChunkBytes));
    const rest = all.subarray(chunk.length);
    this.#buffered = rest.length > 0 ? [rest] : [];
    this.#bufferedBytes = rest.length;
    return chunk;
  }
}
