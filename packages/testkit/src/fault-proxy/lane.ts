import type { Socket } from 'node:net';
import type { FlowCounter } from './flow-counter.ts';
import { SOUND_LINK } from './link-faults.ts';
import type { LinkFaults } from './link-faults.ts';
import { resetSocket } from './reset-socket.ts';
import { TokenBucket } from './token-bucket.ts';

/** How a sender left: with a FIN, or with an RST. */
type Ending = 'end' | 'reset';

/** `closed` until the receiver is connected; `abandoned` when nothing may arrive any more. */
type LaneState = 'closed' | 'open' | 'abandoned';

type Cargo = { readonly dueAt: number } & ({ readonly bytes: Buffer } | { readonly ending: Ending });

export interface LaneOptions {
  readonly source: Socket;
  readonly destination: Socket;
  readonly counter: FlowCounter;
  /** Bytes that may wait in here; the source is not read while there are as many. */
  readonly maxBufferedBytes: number;
  /** The sender left, and the receiver will not hear of it. */
  readonly onEndingLost: () => void;
}

/** One direction of a connection: carries bytes from one socket to the other, as badly as it is told to. */
export class Lane {
  readonly #source: Socket;
  readonly #destination: Socket;
  readonly #counter: FlowCounter;
  readonly #maxBufferedBytes: number;
  readonly #onEndingLost: () => void;
  #faults: LinkFaults = SOUND_LINK;
  #bucket: TokenBucket | undefined;
  #queue: Cargo[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #state: LaneState = 'closed';
  #isClogged = false;
  #hasSwallowedEnding = false;

  constructor(options: LaneOptions) {
    this.#source = options.source;
    this.#destination = options.destination;
    this.#counter = options.counter;
    this.#maxBufferedBytes = options.maxBufferedBytes;
    this.#onEndingLost = options.onEndingLost;
    this.#source.on('data', (bytes: Buffer) => this.#load(bytes));
    this.#source.on('end', () => this.#finish('end'));
    this.#source.on('error', () => this.#finish('reset'));
    this.#destination.on('drain', () => {
      this.#isClogged = false;
      this.#carry();
    });
  }

  /** Bytes that this process holds: read from the sender, not yet taken by the receiver's kernel. */
  get bufferedBytes(): number {
    return this.#queuedBytes + this.#source.readableLength + this.#destination.writableLength;
  }

  /** Whether the sender left under a `drop` that still lasts. */
  get hasLostSender(): boolean {
    return this.#hasSwallowedEnding;
  }

  /** Begins to deliver: the receiver is connected. */
  open(): void {
    if (this.#state === 'closed') this.#state = 'open';
    this.#carry();
  }

  change(faults: Partial<LinkFaults>): void {
    const before = this.#faults;
    this.#faults = { ...before, ...faults };
    const { bytesPerSecond, delayMs, passage } = this.#faults;
    if (bytesPerSecond !== before.bytesPerSecond) {
      this.#bucket = bytesPerSecond === undefined ? undefined : new TokenBucket(bytesPerSecond);
    }
    if (delayMs < before.delayMs) this.#hurry(performance.now() + delayMs);
    if (passage !== 'drop' && this.#hasSwallowedEnding) {
      this.#hasSwallowedEnding = false;
      this.#enqueue({ ending: 'reset', dueAt: performance.now() + delayMs });
    }
    this.#carry();
  }

  /** Forgets what waits and delivers nothing any more; what still arrives is swallowed. */
  abandon(): void {
    this.#state = 'abandoned';
    this.#discard();
    if (this.#source.readableEnded) this.#source.end();
    this.#carry();
  }

  #load(bytes: Buffer): void {
    this.#counter.received(bytes.length);
    this.#queuedBytes += bytes.length;
    this.#enqueue({ bytes, dueAt: performance.now() + this.#faults.delayMs });
  }

  #finish(ending: Ending): void {
    // A receiver that does not read would otherwise never learn of an RST, which a kernel tells at once.
    if (ending === 'reset' && this.#isClogged) this.#discard();
    this.#enqueue({ ending, dueAt: performance.now() + this.#faults.delayMs });
  }

  #discard(): void {
    for (const cargo of this.#queue) if ('bytes' in cargo) this.#counter.dropped(cargo.bytes.length);
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  #enqueue(cargo: Cargo): void {
    this.#queue.push(cargo);
    this.#carry();
  }

  #hurry(latestAt: number): void {
    this.#queue = this.#queue.map((cargo) => ({ ...cargo, dueAt: Math.min(cargo.dueAt, latestAt) }));
  }

  #carry(): void {
    clearTimeout(this.#timer);
    if (this.#isMoving()) while (this.#queue.length > 0 && this.#carryFirst());
    this.#regulate();
  }

  #isMoving(): boolean {
    return this.#state === 'abandoned' || (this.#state === 'open' && this.#faults.passage !== 'stop');
  }

  /** Whether there may be more to do at once. */
  #carryFirst(): boolean {
    const [first] = this.#queue;
    if (first === undefined) return false;
    if (this.#state === 'abandoned' || this.#faults.passage === 'drop') return this.#swallow(first);
    const waitMs = first.dueAt - performance.now();
    if (waitMs > 0) return this.#waitFor(waitMs);
    const { remainingBytes = Number.POSITIVE_INFINITY } = this.#faults;
    if (remainingBytes === 0) return false;
    if ('ending' in first) return this.#deliverEnding(first.ending);
    if (this.#destination.destroyed || this.#destination.writableEnded) return this.#swallow(first);
    if (this.#isClogged) return false;
    const wanted = Math.min(first.bytes.length, remainingBytes);
    const allowed = this.#bucket?.take(wanted) ?? wanted;
    if (allowed === 0) return this.#waitFor(this.#bucket?.waitMs(wanted) ?? 0);
    this.#write(first.bytes, allowed);
    return true;
  }

  #write(bytes: Buffer, allowed: number): void {
    const [first] = this.#queue;
    if (allowed === bytes.length || first === undefined) this.#queue.shift();
    else this.#queue[0] = { bytes: bytes.subarray(allowed), dueAt: first.dueAt };
    this.#queuedBytes -= allowed;
    this.#spend(allowed);
    this.#isClogged = !this.#destination.write(bytes.subarray(0, allowed));
    this.#counter.delivered(allowed);
  }

  #spend(bytes: number): void {
    const { remainingBytes } = this.#faults;
    if (remainingBytes === undefined) return;
    this.#faults = { ...this.#faults, remainingBytes: remainingBytes - bytes };
  }

  #swallow(cargo: Cargo): boolean {
    this.#queue.shift();
    if ('bytes' in cargo) {
      this.#queuedBytes -= cargo.bytes.length;
      this.#counter.dropped(cargo.bytes.length);
    } else {
      this.#loseEnding();
    }
    return true;
  }

  #loseEnding(): void {
    if (this.#state === 'abandoned') {
      // Nobody is left to say more to this sender.
      this.#source.end();
      return;
    }
    this.#hasSwallowedEnding = true;
    this.#onEndingLost();
  }

  #deliverEnding(ending: Ending): boolean {
    this.#queue.shift();
    if (ending === 'end') {
      this.#destination.end();
      return true;
    }
    resetSocket(this.#destination);
    this.#source.destroy();
    return false;
  }

  #waitFor(ms: number): boolean {
    this.#timer = setTimeout(() => this.#carry(), Math.ceil(ms));
    return false;
  }

  /** Reads on only while there is room: TCP pushes back on the sender. */
  #regulate(): void {
    const isFull = this.#queuedBytes >= this.#maxBufferedBytes;
    const isStopped = this.#faults.passage === 'stop' && this.#state !== 'abandoned';
    if (isStopped || isFull) this.#source.pause();
    else this.#source.resume();
  }
}
