import type { Clock } from '@openchambery/daemon';
import type { ReplayMark, ReplayVerdict } from '../binding/replay-mark.ts';
import { IndexedHeap } from './indexed-heap.ts';
import { BY_AGE, type KeptMark, type StoredMark, toKeptMark, toMarkKey } from './kept-mark.ts';
import { Leases, type Moment } from './lease.ts';
import { OldestMarks } from './oldest-marks.ts';
import { Payers } from './payers.ts';
import { type FloorChange, ReplayFloors, type StoredFloor } from './replay-floors.ts';

/** What a {@link ReplayTable} needs. */
export interface ReplayTableOptions {
  readonly clock: Clock;
  /** How long a mark is kept, in ms; at least twice the allowed clock skew. */
  readonly replayMs: number;
  /** Most marks at once, and most floors; at least 1. */
  readonly maxEntries: number;
}

/** A mark that was accepted, and what had to go for it. */
export interface Acceptance {
  readonly kept: KeptMark;
  readonly eviction: Eviction | undefined;
}

/** A mark that made room, and the floor that refuses its text from now on. */
export interface Eviction {
  readonly evicted: KeptMark;
  readonly floor: FloorChange;
}

/** What an earlier process has kept, and this one does not. */
export interface RestoreLosses {
  /** What had expired by then, ms since the epoch, was left out. */
  readonly expiredAtMs: number;
  readonly evictions: readonly Eviction[];
  readonly droppedFloors: readonly StoredFloor[];
}

/**
 * Which signed texts have been used. When it is full, whoever holds most pays: it is refused when it asks itself, and
 * otherwise loses a mark, but not the protection: texts of that server up to the `ts` of the lost mark count as used.
 * Every call takes O(log n), but for dropping what has expired, which each mark pays once. Marks go in the order they
 * came in; a server and an IP with one mark each cost some 0.5 KB for it, and no mark costs more than about 1 KB.
 */
export class ReplayTable {
  readonly #leases: Leases;
  readonly #maxEntries: number;
  readonly #marks = new Map<string, KeptMark>();
  readonly #byAge = new IndexedHeap<KeptMark>(BY_AGE);
  readonly #oldest = new OldestMarks();
  readonly #payers = new Payers();
  readonly #floors: ReplayFloors;
  #nextSeq = 1;
  #expiredSeq = 0;

  constructor({ clock, replayMs, maxEntries }: ReplayTableOptions) {
    this.#leases = new Leases(clock, replayMs);
    this.#maxEntries = maxEntries;
    this.#floors = new ReplayFloors(maxEntries, this.#leases);
  }

  /** Marks that have not expired. */
  get size(): number {
    this.#age();
    return this.#marks.size;
  }

  /** No mark up to this `seq` is kept any more. It falls when an older mark comes back. */
  get expiredSeq(): number {
    const { first } = this.#byAge;
    return first === undefined ? this.#expiredSeq : Math.min(this.#expiredSeq, first.seq - 1);
  }

  /** Servers whose floor has expired, at most so many; whoever cannot write that down gives them back. */
  takeExpiredFloors(maxCount: number): string[] {
    return this.#floors.takeExpired(maxCount);
  }

  giveBackExpiredFloors(serverIds: readonly string[]): void {
    this.#floors.giveBackExpired(serverIds);
  }

  /** Whether a text may be used; changes nothing. */
  verdict(mark: ReplayMark): ReplayVerdict {
    const now = this.#age();
    const known = this.#marks.get(toMarkKey(mark));
    if (known !== undefined) return { kind: known.route === mark.route ? 'repeat' : 'replay' };
    if (this.#floors.covers(mark)) return { kind: 'replay' };
    if (this.#marks.size >= this.#maxEntries && this.#wouldPay(mark, now)) {
      const oldest = this.#oldest.of(mark.serverId) ?? this.#byAge.first;
      const remainingMs = oldest === undefined ? 0 : this.#leases.remainingMs(oldest, now);
      return { kind: 'full', retryAfterMs: Math.max(1, Math.ceil(remainingMs)) };
    }
    return { kind: 'fresh' };
  }

  /** Whether a text has been used; changes nothing. */
  isMarked(mark: ReplayMark): boolean {
    this.#age();
    return this.#marks.has(toMarkKey(mark)) || this.#floors.covers(mark);
  }

  /** Remembers a text whose verdict is `fresh`. */
  accept(mark: ReplayMark): Acceptance {
    const now = this.#age();
    const kept = this.#toKept(mark, now);
    this.#add(kept);
    const eviction = this.#marks.size > this.#maxEntries ? this.#evict(now) : undefined;
    return { kept, eviction };
  }

  /** Takes back what {@link accept} did; the last acceptance first. A `seq` is never used again. */
  undo({ kept, eviction }: Acceptance): void {
    if (eviction !== undefined) {
      this.#floors.undo(eviction.floor);
      this.#add(eviction.evicted);
    }
    // It may have aged meanwhile.
    if (this.#marks.get(kept.key) === kept) this.#remove(kept);
  }

  /**
   * Takes over what an earlier process has kept, by `seq`, and gives what had to go. What has expired by the wall clock
   * is left out before it takes any room: of how much time has really passed there is no better witness.
   */
  restore(marks: Iterable<StoredMark>, floors: Iterable<StoredFloor>): RestoreLosses {
    const now = this.#leases.now();
    for (const mark of marks) {
      if (mark.expiresAtMs <= now.epochMs) continue;
      const known = this.#marks.get(mark.key);
      if (known !== undefined) this.#remove(known);
      this.#add(toKeptMark(mark, this.#leases.resume(mark.expiresAtMs, now)));
    }
    const droppedFloors: StoredFloor[] = [];
    for (const floor of floors) {
      if (floor.expiresAtMs <= now.epochMs) continue;
      const { dropped } = this.#floors.raise(floor, this.#leases.resume(floor.expiresAtMs, now), now);
      if (dropped !== undefined) droppedFloors.push(dropped);
    }
    const evictions: Eviction[] = [];
    while (this.#marks.size > this.#maxEntries) evictions.push(this.#evict(now));
    return { expiredAtMs: now.epochMs, evictions, droppedFloors };
  }

  /**
   * Whether a full table would make room at the cost of the server itself, the new mark included. Where a whole crowd
   * behind one IP has filled the floors too, newcomers from there wait: room for them would cost one of their
   * neighbours its protection.
   */
  #wouldPay(mark: ReplayMark, now: Moment): boolean {
    const candidate = this.#toKept(mark, now);
    this.#payers.add(candidate);
    const payer = this.#payers.next;
    this.#payers.remove(candidate);
    if (payer === undefined || payer.serverId === mark.serverId) return true;
    return payer.ip === mark.ip && this.#floors.isFullFor(payer.serverId);
  }

  #toKept(mark: ReplayMark, now: Moment): KeptMark {
    const { serverId, route, ts, ip } = mark;
    const lease = this.#leases.begin(now);
    const { expiresAtMs } = lease;
    return toKeptMark(
      { seq: this.#nextSeq, key: toMarkKey(mark), serverId, route, ts, ip, expiresAtMs },
      lease,
    );
  }

  #add(mark: KeptMark): void {
    this.#nextSeq = Math.max(this.#nextSeq, mark.seq + 1);
    this.#marks.set(mark.key, mark);
    this.#byAge.add(mark);
    this.#oldest.add(mark);
    this.#payers.add(mark);
  }

  #remove(mark: KeptMark): void {
    this.#marks.delete(mark.key);
    this.#byAge.remove(mark);
    this.#oldest.remove(mark);
    this.#payers.remove(mark);
  }

  #evict(now: Moment): Eviction {
    const evicted = this.#payers.next;
    if (evicted === undefined) throw new Error('an empty table cannot be full');
    this.#remove(evicted);
    const floor = this.#floors.raise(evicted, this.#leases.begin(now), now);
    return { evicted, floor };
  }

  /** Drops what has expired, and gives the time. */
  #age(): Moment {
    const now = this.#leases.now();
    for (let next = this.#byAge.first; next !== undefined; next = this.#byAge.first) {
      if (!this.#leases.isOver(next, now)) break;
      this.#remove(next);
      this.#expiredSeq = Math.max(this.#expiredSeq, next.seq);
    }
    this.#floors.dropExpired(now);
    return now;
  }
}
