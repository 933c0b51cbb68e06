/** Where bytes flow to: the party that was dialed, or the one that dialed. */
export type FlowDirection = 'toTarget' | 'toClient';

/** One direction or both. */
export type FaultScope = FlowDirection | 'both';

/** What happens to bytes on their way: `drop` swallows them and stays silent, `stop` reads no more of them. */
export type Passage = 'open' | 'drop' | 'stop';

/** What is wrong with one direction of a connection. */
export interface LinkFaults {
  /** From the moment a byte was read to the moment it may be written, in ms. */
  readonly delayMs: number;
  /** Bytes a second; `undefined` is no limit. */
  readonly bytesPerSecond: number | undefined;
  readonly passage: Passage;
  /** Bytes that may still pass; what comes after them waits. `undefined` is no limit. */
  readonly remainingBytes: number | undefined;
}

/** A direction without a fault. */
export const SOUND_LINK: LinkFaults = {
  delayMs: 0,
  bytesPerSecond: undefined,
  passage: 'open',
  remainingBytes: undefined,
};

/** Bytes of one direction since the beginning. */
export interface FlowBytes {
  /** Read from the sender. */
  readonly receivedBytes: number;
  /** Handed to the socket of the receiver. */
  readonly deliveredBytes: number;
  /** Swallowed. */
  readonly droppedBytes: number;
}

/** Bytes of both directions. */
export type Traffic = Readonly<Record<FlowDirection, FlowBytes>>;

/** The directions that a scope names. */
export function directionsOf(scope: FaultScope): readonly FlowDirection[] {
  return scope === 'both' ? ['toTarget', 'toClient'] : [scope];
}

/** @throws {RangeError} for a value that no link can have. */
export function checkFaults(faults: Partial<LinkFaults>): void {
  const { delayMs = 0, bytesPerSecond = 1, remainingBytes = 0 } = faults;
  if (!(delayMs >= 0)) throw new RangeError(`a delay is at least 0 ms, got ${delayMs}`);
  if (!(bytesPerSecond > 0)) throw new RangeError(`a rate is more than 0 bytes/s, got ${bytesPerSecond}`);
  if (!(remainingBytes >= 0)) throw new RangeError(`at least 0 bytes may pass, got ${remainingBytes}`);
}

/** The faults of a connection, or of all of them, now and later. Each call changes only what it names. */
export abstract class FaultControls {
  protected abstract applyFaults(faults: Partial<LinkFaults>, scope: FaultScope): void;

  /** Lets each byte (and the end) arrive `ms` later than it was sent, in order. */
  delay(ms: number, scope: FaultScope = 'both'): void {
    this.change({ delayMs: ms }, scope);
  }

  /** Passes at most `bytesPerSecond` on; `undefined` lifts the limit. */
  limitRate(bytesPerSecond: number | undefined, scope: FaultScope = 'both'): void {
    this.change({ bytesPerSecond }, scope);
  }

  /** Swallows what is sent, also a FIN or RST, while the connection stays up: the network lost its way. */
  drop(scope: FaultScope = 'both'): void {
    this.change({ passage: 'drop' }, scope);
  }

  /** Reads no more, so that the sender's TCP stalls. Nothing is lost. */
  stop(scope: FaultScope = 'both'): void {
    this.change({ passage: 'stop' }, scope);
  }

  /** Passes exactly `bytes` more, of each connection, and no end; what comes after them waits as with `stop`. */
  passOnly(bytes: number, scope: FaultScope = 'both'): void {
    this.change({ remainingBytes: bytes }, scope);
  }

  /** Ends `drop`, `stop` and `passOnly`. Swallowed bytes stay lost; a sender that went away meanwhile shows as an RST. */
  release(scope: FaultScope = 'both'): void {
    this.change({ passage: 'open', remainingBytes: undefined }, scope);
  }

  /** Ends every fault: delay, rate, drop, stop and the like. */
  heal(scope: FaultScope = 'both'): void {
    this.change(SOUND_LINK, scope);
  }

  /** Changes several faults at once. @throws {RangeError} for a value that no link can have. */
  change(faults: Partial<LinkFaults>, scope: FaultScope = 'both'): void {
    checkFaults(faults);
    this.applyFaults(faults, scope);
  }
}
