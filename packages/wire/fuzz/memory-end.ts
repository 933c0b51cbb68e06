import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { Transport } from '../src/index.ts';
import type { TransportPeer } from '../src/transport.ts';
import { MemoryLane } from './memory-lane.ts';
import type { LaneSink } from './memory-lane.ts';
import type { LanePlan } from './plan.ts';
import type { Progress } from './progress.ts';
import type { Random } from './random.ts';

interface Lanes {
  readonly out: MemoryLane;
  readonly incoming: MemoryLane;
}

/** An end of a TCP connection in memory, as far as its writing and its own end go. */
abstract class MemoryEnd extends Duplex implements LaneSink {
  readonly lanes: Lanes;

  constructor(lanes: Lanes, options: { allowHalfOpen: boolean }) {
    super(options);
    this.lanes = lanes;
    lanes.incoming.sink = this;
  }

  abstract get isReading(): boolean;
  abstract arrive(bytes: Buffer): void;

  get isGone(): boolean {
    return this.destroyed;
  }

  arriveEnd(): void {
    this.push(null);
  }

  arriveReset(): void {
    this.destroy(new Error('ECONNRESET'));
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.lanes.out.offer(chunk, done);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.lanes.out.offer(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.lanes.out.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { out, incoming } = this.lanes;
    // As TCP has it: what is left unread makes the end a reset.
    if (incoming.isFilled || out.unsentBytes > 0) out.reset();
    else out.finish();
    incoming.dropPending();
    done(error);
  }
}

/** The peer's end: an ordinary stream, for the library or a raw writer. */
export class PeerEnd extends MemoryEnd {
  #isWanted = false;

  constructor(lanes: Lanes) {
    super(lanes, { allowHalfOpen: false });
  }

  get isReading(): boolean {
    return this.#isWanted;
  }

  arrive(bytes: Buffer): void {
    this.#isWanted = this.push(Buffer.from(bytes));
  }

  override _read(): void {
    this.#isWanted = true;
    this.lanes.incoming.schedule();
  }
}

/** What every read of a relay in memory goes through, as reads from real sockets go through one buffer. */
const SHARED = Buffer.alloc(65_536);

/** The relay's end: bytes come in a buffer that is used again at once, and only while it is not paused. */
export class RelayEnd extends MemoryEnd {
  /** As on a real socket: how much of a write is not taken yet. */
  readonly _handle: { readonly writeQueueSize: number };
  readonly transport: Transport;
  #onBytes: ((bytes: Buffer) => void) | undefined;
  #peer: TransportPeer | undefined;

  constructor(lanes: Lanes) {
    super(lanes, { allowHalfOpen: true });
    this._handle = {
      get writeQueueSize(): number {
        return lanes.out.unsentBytes;
      },
    };
    // Resets; `close` follows.
    this.on('error', () => this.destroy());
    this.transport = {
      socket: asSocket(this),
      attach: (peer) => {
        this.#peer = peer;
        this.on('end', () => peer.onFinish());
        this.on('close', () => peer.onGone());
      },
      startReading: () => this.readWith((bytes) => this.#peer?.onBytes(bytes)),
    };
  }

  /** Reads on, and gives what comes to this from now on. */
  readWith(onBytes: (bytes: Buffer) => void): void {
    this.#onBytes = onBytes;
    this.resume();
  }

  get isReading(): boolean {
    return this.#onBytes !== undefined && !this.isPaused();
  }

  override resume(): this {
    super.resume();
    this.lanes.incoming.schedule();
    return this;
  }

  arrive(bytes: Buffer): void {
    const view = SHARED.subarray(0, bytes.copy(SHARED));
    this.#onBytes?.(view);
    view.fill(0xee);
  }

  override _read(): void {
    this.lanes.incoming.schedule();
  }
}

function asSocket(stream: unknown): Socket {
  return stream as Socket;
}

export interface MemoryConnection {
  readonly peer: PeerEnd;
  readonly relay: RelayEnd;
}

/** Both ends of a fresh connection. */
export function connectInMemory(
  plan: { readonly up: LanePlan; readonly down: LanePlan },
  random: Random,
  progress: Progress,
): MemoryConnection {
  const up = new MemoryLane(plan.up, random.fork(), progress);
  const down = new MemoryLane(plan.down, random.fork(), progress);
  return {
    peer: new PeerEnd({ out: up, incoming: down }),
    relay: new RelayEnd({ out: down, incoming: up }),
  };
}
