import { IndexedHeap } from './indexed-heap.ts';
import type { ReplayFloor } from './kept-mark.ts';

function expiresBefore(a: ReplayFloor, b: ReplayFloor): boolean {
  if (a.expiresAtMs !== b.expiresAtMs) return a.expiresAtMs < b.expiresAtMs;
  return a.serverId < b.serverId;
}

/** A floor raised, and what that did to others. */
export interface FloorChange {
  readonly raised: ReplayFloor;
  /** What the server had before. */
  readonly before: ReplayFloor | undefined;
  /** Given up for want of room. */
  readonly dropped: ReplayFloor | undefined;
}

/** The floors of all servers whose marks had to make room, at most one each. */
export class ReplayFloors {
  readonly #maxFloors: number;
  readonly #byServer = new Map<string, ReplayFloor>();
  readonly #byExpiry = new IndexedHeap<ReplayFloor>(expiresBefore);

  constructor(maxFloors: number) {
    this.#maxFloors = maxFloors;
  }

  get size(): number {
    return this.#byServer.size;
  }

  /** The floor of a server, ms since the epoch; `undefined` when it has none at that time. */
  floorOf(serverId: string, now: number): number | undefined {
    const floor = this.#byServer.get(serverId);
    return floor !== undefined && floor.expiresAtMs > now ? floor.ts : undefined;
  }

  /** Whether a floor for this server would cost another server its own. */
  isFullFor(serverId: string): boolean {
    return this.size >= this.#maxFloors && !this.#byServer.has(serverId);
  }

  /** Raises a floor, or keeps it longer when it is as high already. With too many, the next to expire goes. */
  raise(floor: ReplayFloor): FloorChange {
    const before = this.#byServer.get(floor.serverId);
    const raised: ReplayFloor =
      before === undefined ? floor : { ...floor, ts: Math.max(floor.ts, before.ts) };
    this.#set(raised);
    const dropped = this.size > this.#maxFloors ? this.#byExpiry.first : undefined;
    if (dropped !== undefined) this.#delete(dropped);
    return { raised, before, dropped };
  }

  /** Takes back what {@link raise} did; the last change first. */
  undo({ raised, before, dropped }: FloorChange): void {
    if (dropped !== undefined) this.#set(dropped);
    this.#delete(raised);
    if (before !== undefined) this.#set(before);
  }

  /** Forgets those that have expired and gives the latest expiry among them, ms since the epoch. */
  dropExpired(now: number): number | undefined {
    let latest: number | undefined;
    for (
      let next = this.#byExpiry.first;
      next !== undefined && next.expiresAtMs <= now;
      next = this.#byExpiry.first
    ) {
      this.#delete(next);
      latest = next.expiresAtMs;
    }
    return latest;
  }

  /** Forgets those that expire later than that, ms since the epoch: a clock that was wrong has made them. */
  dropBeyond(expiresAtMs: number): void {
    for (const floor of this.#byServer.values()) {
      if (floor.expiresAtMs > expiresAtMs) this.#delete(floor);
    }
  }

  #set(floor: ReplayFloor): void {
    const old = this.#byServer.get(floor.serverId);
    if (old !== undefined) this.#byExpiry.remove(old);
    this.#byServer.set(floor.serverId, floor);
    this.#byExpiry.add(floor);
  }

  #delete(floor: ReplayFloor): void {
    if (this.#byServer.get(floor.serverId) !== floor) return;
    this.#byServer.delete(floor.serverId);
    this.#byExpiry.remove(floor);
  }
}
