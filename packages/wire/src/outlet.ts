import type { Socket } from 'node:net';
import { BudgetAccount, type BudgetOwner } from './byte-budget.ts';
import { ByteQueue } from './byte-queue.ts';
import type { Timer } from './clock.ts';
import { unsentBytes } from './kernel-queue.ts';
import type { WireContext } from './wire-context.ts';

/** Who hears of an outlet's progress. */
export interface OutletListener {
  /** The receiver took something: less waits than before. */
  onRelief(): void;
  /** The last frame given to `finish` has been taken. */
  onFinished(): void;
  /** The receiver took no byte for the stall time while some waited. Called once. */
  onStall(): void;
}

const NOTHING: readonly Buffer[] = [];

/** How often a stalled receiver is looked at within the stall time. */
const STALL_LOOKS = 4;

/**
 * The sending side of a socket: writes at once while the kernel takes everything, and queues behind it otherwise,
 * one bounded batch at a time, so that what waits is known to the byte and can be shared fairly.
 */
export class Outlet {
  readonly #socket: Socket;
  readonly #context: WireContext;
  readonly #listener: OutletListener;
  readonly #account: BudgetAccount;
  /** Made when something has to wait for the first time. */
  #queue: ByteQueue | undefined;
  /** Handed to the socket and not taken by the kernel yet, in bytes. */
  #inFlight: readonly Buffer[] = NOTHING;
  #inFlightBytes = 0;
  /** Handed to the socket so far, in bytes. */
  #handedBytes = 0;
  /** Of those, what had to wait and has been taken since, in bytes. */
  #lateBytes = 0;
  #state: 'open' | 'finishing' | 'finished' = 'open';
  #turnPending = false;
  #stallTimer: Timer | undefined;
  #provenAtLook = 0;
  #lastProvenAt = 0;

  constructor(
    socket: Socket,
    context: WireContext,
    { owner, listener }: { owner: BudgetOwner; listener: OutletListener },
  ) {
    this.#socket = socket;
    this.#context = context;
    this.#listener = listener;
    this.#account = new BudgetAccount(owner);
  }

  /** Bytes accepted for the receiver that the kernel has not taken. */
  get waitingBytes(): number {
    return this.#inFlightBytes + (this.#queue?.bytes ?? 0);
  }

  /** Bytes the kernel has taken for this receiver so far. */
  get sentBytes(): number {
    return this.#handedBytes - this.#unsentBytes;
  }

  /**
   * Bytes the kernel took after it had been full: unlike what it takes at once, they show that the receiver reads.
   */
  get provenBytes(): number {
    return this.#lateBytes + this.#inFlightBytes - this.#unsentBytes;
  }

  /** Whether a source may go on reading for this receiver. */
  get mayGrow(): boolean {
    const waiting = this.waitingBytes;
    if (waiting === 0) return true;
    return waiting < this.#context.limits.highWaterBytes && !this.#account.owner.isPressed;
  }

  /** Whether a paused source may be read again. */
  get mayResume(): boolean {
    const waiting = this.waitingBytes;
    if (waiting === 0) return true;
    return waiting <= this.#context.limits.lowWaterBytes && !this.#account.owner.isPressed;
  }

  /** Sends bytes in order. The caller may reuse them at once. Ignored after `finish`. */
  send(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    if (this.waitingBytes === 0) {
      this.#hand([bytes]);
    } else {
      this.#waiting.push(bytes);
      this.#account.set(this.waitingBytes);
    }
  }

  /** Sends everything another queue holds, one batch per turn, and empties it. */
  sendAll(queue: ByteQueue): void {
    if (queue.bytes === 0) return;
    if (this.#state !== 'open') return queue.clear();
    this.#waiting.takeAllFrom(queue);
    this.#account.set(this.waitingBytes);
    this.#pump();
  }

  /** Sends a last frame after everything that waits; then `onFinished` is called, perhaps at once. */
  finish(last: Buffer): void {
    if (this.#state !== 'open') return;
    this.send(last);
    this.#state = 'finishing';
    this.#settle();
  }

  /** Forgets everything that waits; for a socket that is gone. */
  drop(): void {
    this.#state = 'finished';
    this.#queue?.clear();
    this.#queue = undefined;
    // A write may still be under way.
    for (const chunk of this.#inFlight) this.#context.blocks.abandon(chunk);
    this.#inFlight = NOTHING;
    this.#inFlightBytes = 0;
    this.#account.set(0);
    this.#stallTimer?.cancel();
    this.#stallTimer = undefined;
  }

  get #unsentBytes(): number {
    return this.#inFlightBytes === 0 ? 0 : (unsentBytes(this.#socket) ?? this.#inFlightBytes);
  }

  get #waiting(): ByteQueue {
    this.#queue ??= new ByteQueue(this.#context.blocks);
    return this.#queue;
  }

  /** Writes chunks while nothing is in flight. What the kernel does not take at once keeps its memory. */
  #hand(chunks: readonly Buffer[]): void {
    const socket = this.#socket;
    if (chunks.length > 1) socket.cork();
    for (const chunk of chunks) {
      this.#handedBytes += chunk.length;
      socket.write(chunk, this.#onWritten);
    }
    if (chunks.length > 1) socket.uncork();
    const left = socket.writableLength;
    const { blocks } = this.#context;
    if (left === 0) {
      for (const chunk of chunks) blocks.release(chunk);
      return;
    }
    for (const chunk of chunks) blocks.keep(chunk);
    this.#inFlight = chunks;
    this.#inFlightBytes = left;
    this.#account.set(this.waitingBytes);
    this.#watchForStall();
  }

  /** One function per outlet, not one per write. Errors come again as the socket's `error` and `close`. */
  readonly #onWritten = (): void => {
    if (this.#inFlightBytes === 0 || this.#socket.destroyed || this.#socket.writableLength > 0) return;
    this.#lateBytes += this.#inFlightBytes;
    this.#inFlightBytes = 0;
    for (const chunk of this.#inFlight) this.#context.blocks.release(chunk);
    this.#inFlight = NOTHING;
    this.#pump();
  };

  /** Sends the next batch of what waits, if nothing is in flight. */
  #pump(): void {
    if (this.#inFlightBytes === 0 && (this.#queue?.bytes ?? 0) > 0) {
      const handedBefore = this.#handedBytes;
      this.#hand(this.#waiting.take(this.#context.limits.quantumBytes));
      // It had to wait before it was taken at once: a queue that is filled as fast may never be seen in flight.
      if (this.#inFlightBytes === 0) this.#lateBytes += this.#handedBytes - handedBefore;
      if (this.#inFlightBytes === 0 && this.#waiting.bytes > 0) this.#pumpNextTurn();
    }
    this.#account.set(this.waitingBytes);
    this.#settle();
    if (this.#state === 'open') this.#listener.onRelief();
  }

  #pumpNextTurn(): void {
    if (this.#turnPending) return;
    this.#turnPending = true;
    this.#context.nextTurn(() => {
      this.#turnPending = false;
      if (this.#state !== 'finished') this.#pump();
    });
  }

  #settle(): void {
    if (this.#state !== 'finishing' || this.waitingBytes > 0) return;
    this.#state = 'finished';
    this.#stallTimer?.cancel();
    this.#stallTimer = undefined;
    this.#listener.onFinished();
  }

  #watchForStall(): void {
    if (this.#stallTimer !== undefined) return;
    this.#provenAtLook = this.provenBytes;
    this.#lastProvenAt = this.#context.clock.monotonicMs();
    this.#armStallTimer();
  }

  #armStallTimer(): void {
    const { clock, limits } = this.#context;
    this.#stallTimer = clock.setTimer(() => this.#lookForStall(), Math.ceil(limits.stallMs / STALL_LOOKS));
  }

  #lookForStall(): void {
    this.#stallTimer = undefined;
    if (this.waitingBytes === 0 || this.#state === 'finished') return;
    const now = this.#context.clock.monotonicMs();
    const proven = this.provenBytes;
    if (proven !== this.#provenAtLook) {
      this.#provenAtLook = proven;
      this.#lastProvenAt = now;
    } else if (now - this.#lastProvenAt >= this.#context.limits.stallMs) {
      this.#listener.onStall();
      return;
    }
    this.#armStallTimer();
  }
}
