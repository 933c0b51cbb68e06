import { type HeapOrder, IndexedHeap } from './indexed-heap.ts';
import type { Lease, Leases, Moment } from './lease.ts';

/** A floor as it is written down: what a server signed up to then is refused unless it has a mark. */
export interface StoredFloor {
  readonly serverId: string;
  /** `ts` of the youngest text that was forgotten before its time, ms since the epoch. */
  readonly ts: number;
  /** ms since the epoch. */
  readonly expiresAtMs: number;
}

/** A floor that is remembered. */
export interface ReplayFloor extends StoredFloor, Lease {
  place: number;
}

/** A floor raised, and what that did to others. */
export interface FloorChange {
  readonly raised: ReplayFloor;
  /** What the server had before. */
  readonly before: ReplayFloor | undefined;
  /** Given up for want of room. */
  readonly dropped: ReplayFloor | undefined;
}

const BY_END: HeapOrder<ReplayFloor> = {
  isBefore: (a, b) => {
    if (a.heldUntilMs !== b.heldUntilMs) return a.heldUntilMs < b.heldUntilMs;
    if (a.expiresAtMs !== b.expiresAtMs) return a.expiresAtMs < b.expiresAtMs;
    return a.serverId < b.serverId;
  },
  placeOf: (floor) => floor.place,
  setPlace: (floor, place) => (floor.place = place),
};

/** The floors of all servers whose marks had to make room, at most one each. They go in the order they were raised in. */
export class ReplayFloors {
  readonly #maxFloors: number;
  readonly #leases: Leases;
  readonly #byServer = new Map<string, ReplayFloor>();
  readonly #byEnd = new IndexedHeap<ReplayFloor>(BY_END);
  /** Servers whose floor has expired, and that may still be written down. */
  readonly #expired = new Set<string>();

  constructor(maxFloors: number, leases: Leases) {
    this.#maxFloors = maxFloors;
    this.#leases = leases;
  }

  get size(): number {
    return this.#byServer.size;
  }

  /**
   * Whether a text is below the floor of its server. A floor is no deeper than a lease is long: texts from before are
   * out of time, unless the clock was wrong when the floor was raised, and then it must not stand in the way.
   */
  covers({ serverId, ts }: Pick<StoredFloor, 'serverId' | 'ts'>): boolean {
    const floor = this.#byServer.get(serverId);
    return floor !== undefined && ts <= floor.ts && ts >= floor.ts - this.#leases.lengthMs;
  }

  /** Whether a floor for this server would cost another server its own. */
  isFullFor(serverId: string): boolean {
    return this.size >= this.#maxFloors && !this.#byServer.has(serverId);
  }

  /** Raises a floor, or keeps it longer when it is as high already. With too many, the next to end goes. */
  raise({ serverId, ts }: Pick<StoredFloor, 'serverId' | 'ts'>, lease: Lease, now: Moment): FloorChange {
    const before = this.#byServer.get(serverId);
    const height = before === undefined ? ts : this.#higher(before.ts, ts, now);
    const { expiresAtMs, heldUntilMs } = lease;
    const raised: ReplayFloor = { serverId, ts: height, expiresAtMs, heldUntilMs, place: -1 };
    this.#set(raised);
    const dropped = this.size > this.#maxFloors ? this.#byEnd.first : undefined;
    if (dropped !== undefined) this.#delete(dropped);
    return { raised, before, dropped };
  }

  /** Takes back what {@link raise} did; the last change first. */
  undo({ raised, before, dropped }: FloorChange): void {
    if (dropped !== undefined) this.#set(dropped);
    // It may have expired meanwhile.
    if (this.#byServer.get(raised.serverId) === raised) this.#delete(raised);
    if (before !== undefined) this.#set(before);
  }

  /** Forgets those that have expired. */
  dropExpired(now: Moment): void {
    for (let next = this.#byEnd.first; next !== undefined; next = this.#byEnd.first) {
      if (!this.#leases.isOver(next, now)) break;
      this.#delete(next);
      this.#expired.add(next.serverId);
    }
  }

  /** Servers whose floor has expired, at most so many; to be written down, or given back. */
  takeExpired(maxCount: number): string[] {
    const taken: string[] = [];
    for (const serverId of this.#expired) {
      if (taken.length === maxCount) break;
      this.#expired.delete(serverId);
      // It may have a new one.
      if (!this.#byServer.has(serverId)) taken.push(serverId);
    }
    return taken;
  }

  giveBackExpired(serverIds: readonly string[]): void {
    for (const serverId of serverIds) this.#expired.add(serverId);
  }

  /** The higher of two, unless one of them can only come from a clock that was wrong. */
  #higher(a: number, b: number, now: Moment): number {
    if (Math.abs(a - b) <= this.#leases.lengthMs) return Math.max(a, b);
    return Math.abs(a - now.epochMs) < Math.abs(b - now.epochMs) ? a : b;
  }

  #set(floor: ReplayFloor): void {
    const old = this.#byServer.get(floor.serverId);
    if (old !== undefined) this.#byEnd.remove(old);
    this.#byServer.set(floor.serverId, floor);
    this.#byEnd.add(floor);
  }

  #delete(floor: ReplayFloor): void {
    this.#byServer.delete(floor.serverId);
    this.#byEnd.remove(floor);
  }
}
