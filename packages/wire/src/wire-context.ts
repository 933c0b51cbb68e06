import { BlockPool } from './block-pool.ts';
import { ByteBudget } from './byte-budget.ts';
import { systemClock, type Clock } from './clock.ts';
import { BLOCK_RESERVE_BYTES, type FrameReaderSettings } from './frame-reader.ts';
import type { ReadGate } from './read-gate.ts';
import { loadNativeUnmask, unmaskByWords, type Unmask } from './unmask.ts';

/** Bounds of every socket of a relay. */
export interface WireLimits {
  /** The most payload one message may have over all its fragments, in bytes. */
  readonly maxMessageBytes: number;
  /** When this much waits for a receiver, its source is paused, in bytes. */
  readonly highWaterBytes: number;
  /** When no more than this waits, the source is read again, in bytes. */
  readonly lowWaterBytes: number;
  /** The most a pair sends, and about the most it reads, in one turn of the event loop, in bytes. */
  readonly quantumBytes: number;
  /** A receiver that takes no byte for this long while some wait is stalled, in ms. */
  readonly stallMs: number;
  /** How long a closing socket waits, once for its queue to drain and once for its peer, in ms. */
  readonly closeDeadlineMs: number;
}

/** What all sockets of a relay share. */
export interface WireContext extends FrameReaderSettings {
  readonly limits: WireLimits;
  readonly clock: Clock;
  readonly budget: ByteBudget;
  /** What all sockets read into, one after the other. */
  readonly readBuffer: Buffer;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (callback: () => void) => void;
  /** The gates that are shut because of what waits for a receiver. */
  readonly pausedSources: Set<ReadGate>;
}

/** The most that one read takes from a socket, in bytes. */
const READ_BYTES = 65536;
/** Sizes of the blocks for less than a whole read, in bytes. */
const SMALLER_BLOCK_BYTES = [1024, 8192];

/** What a context is made of. */
export interface WireContextOptions {
  readonly limits: WireLimits;
  /** The most that all queues hold together, in bytes. */
  readonly budgetBytes: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default setImmediate */
  readonly nextTurn?: (callback: () => void) => void;
  /** @default native code when `bufferutil` is installed, else a word at a time */
  readonly unmask?: Unmask;
}

/** Makes what all sockets of one relay share. */
export function createWireContext(options: WireContextOptions): WireContext {
  return {
    limits: options.limits,
    maxMessageBytes: options.limits.maxMessageBytes,
    clock: options.clock ?? systemClock,
    budget: new ByteBudget(options.budgetBytes),
    readBuffer: Buffer.allocUnsafeSlow(READ_BYTES),
    blocks: createBlockPools(),
    unmask: options.unmask ?? loadNativeUnmask() ?? unmaskByWords,
    nextTurn: options.nextTurn ?? ((callback) => void setImmediate(callback)),
    pausedSources: new Set(),
  };
}

function createBlockPools(): BlockPool {
  const smaller = SMALLER_BLOCK_BYTES.reduce<BlockPool | undefined>(
    (pools, bytes) => new BlockPool(bytes, pools),
    undefined,
  );
  return new BlockPool(READ_BYTES + BLOCK_RESERVE_BYTES, smaller);
}
