import { type Clock, ownText } from '@openchambery/daemon';
import type { ReplayMark, ReplayVerdict } from '../binding/replay-mark.ts';
import { HolderRanking } from './holder-ranking.ts';
import { IndexedHeap } from './indexed-heap.ts';
import { isOlder, type KeptMark, type ReplayFloor, toMarkKey } from './kept-mark.ts';
import { Payers } from './payers.ts';
import { type FloorChange, ReplayFloors } from './replay-floors.ts';

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
  /** The latest expiry that had been given before, ms since the epoch. */
  readonly earlierExpiryMs: number;
}

/** A mark that made room, and the floor that refuses its text from now on. */
export interface Eviction {
  readonly evicted: KeptMark;
  readonly floor: FloorChange;
}

/** What an earlier process has kept, and this one has no room for. */
export interface RestoreLosses {
  readonly evictions: readonly Eviction[];
  readonly droppedFloors: readonly ReplayFloor[];
}

/**
 * Which signed texts have been used. Wall-clock time, since it must hold across restarts. When it is full, whoever
 * holds most pays: it is refused when it asks itself, and otherwise loses a mark, but not the protection: texts of that
 * server up to the `ts` of the lost mark count as used. Every call takes O(log n), but for dropping what has expired,
 * which each mark pays once.
 */
export class ReplayTable {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #maxEntries: number;
  readonly #marks = new Map<string, KeptMark>();
  readonly #byAge = new IndexedHeap<KeptMark>(isOlder);
  readonly #servers = new HolderRanking();
  readonly #payers = new Payers();
  readonly #floors: ReplayFloors;
  #nextSeq = 1;
  #latestExpiryMs = 0;
  #expiredSeq = 0;
  #expiredFloorMs = 0;

  constructor({ clock, replayMs, maxEntries }: ReplayTableOptions) {
    this.#clock = clock;
    // Timestamps are checked in whole ms: one that is good from the first to the last ms of the skew is good for up to
    // 1 ms longer than twice the skew.
    this.#lifetimeMs = replayMs + 1;
    this.#maxEntries = maxEntries;
    this.#floors = new ReplayFloors(maxEntries);
  }

  /** Marks that have not expired. */
  get size(): number {
    this.#age();
    return this.#marks.size;
  }

  /** No mark up to this `seq` is kept any more. */
  get expiredSeq(): number {
    return this.#expiredSeq;
  }

  /** No floor that expires up to then, ms since the epoch, is kept any more. */
  get expiredFloorMs(): number {
    return this.#expiredFloorMs;
  }

  /** Whether a text may be used; changes nothing. */
  verdict(mark: ReplayMark): ReplayVerdict {
    const now = this.#age();
    const known = this.#marks.get(toMarkKey(mark));
    if (known !== undefined) return { kind: known.route === mark.route ? 'repeat' : 'replay' };
    if (this.#isBelowFloor(mark, now)) return { kind: 'replay' };
    if (this.#marks.size >= this.#maxEntries && this.#wouldPay(mark, now)) {
      const oldest = this.#servers.get(mark.serverId)?.marks.first ?? this.#byAge.first;
      return { kind: 'full', retryAfterMs: Math.max(1, (oldest?.expiresAtMs ?? 0) - now) };
    }
    return { kind: 'fresh' };
  }

  /** Whether a text has been used; changes nothing. */
  isMarked(mark: ReplayMark): boolean {
    const now = this.#age();
    return this.#marks.has(toMarkKey(mark)) || this.#isBelowFloor(mark, now);
  }

  /** Remembers a text whose verdict is `fresh`. */
  accept(mark: ReplayMark): Acceptance {
    const now = this.#age();
    const kept = this.#toKept(mark, now);
    const earlierExpiryMs = this.#latestExpiryMs;
    this.#add(kept);
    const eviction = this.#marks.size > this.#maxEntries ? this.#evict(now) : undefined;
    return { kept, eviction, earlierExpiryMs };
  }

  /** Takes back what {@link accept} did; the last acceptance first. A `seq` is never used again. */
  undo({ kept, eviction, earlierExpiryMs }: Acceptance): void {
    if (eviction !== undefined) {
      this.#floors.undo(eviction.floor);
      this.#add(eviction.evicted);
    }
    // It may have aged meanwhile.
    if (this.#marks.get(kept.key) === kept) this.#remove(kept);
    this.#latestExpiryMs = earlierExpiryMs;
  }

  /** Takes over what an earlier process has kept, by `seq`. Gives what had to go because the limit is lower now. */
  restore(marks: Iterable<KeptMark>, floors: Iterable<ReplayFloor>): RestoreLosses {
    let expiresAtMs = 0;
    for (const mark of marks) {
      // Should the file say otherwise: no mark expires after the next one.
      expiresAtMs = Math.max(mark.expiresAtMs, expiresAtMs);
      mark.expiresAtMs = expiresAtMs;
      this.#add(mark);
    }
    const droppedFloors: ReplayFloor[] = [];
    for (const floor of floors) {
      this.#latestExpiryMs = Math.max(this.#latestExpiryMs, floor.expiresAtMs);
      const { dropped } = this.#floors.raise(floor);
      if (dropped !== undefined) droppedFloors.push(dropped);
    }
    const now = this.#age();
    const evictions: Eviction[] = [];
    while (this.#marks.size > this.#maxEntries) evictions.push(this.#evict(now));
    return { evictions, droppedFloors };
  }

  #isBelowFloor({ serverId, ts }: ReplayMark, now: number): boolean {
    const floor = this.#floors.floorOf(serverId, now);
    return floor !== undefined && ts <= floor;
  }

  /**
   * Whether a full table would make room at the cost of the server itself, the new mark included. Where a whole crowd
   * behind one IP has filled the floors too, newcomers from there wait: room for them would cost one of their
   * neighbours its protection.
   */
  #wouldPay(mark: ReplayMark, now: number): boolean {
    const candidate = this.#toKept(mark, now);
    this.#payers.add(candidate);
    const payer = this.#payers.next;
    this.#payers.remove(candidate);
    if (payer === undefined || payer.serverId === mark.serverId) return true;
    return payer.ip === mark.ip && this.#floors.isFullFor(payer.serverId);
  }

  #toKept(mark: ReplayMark, now: number): KeptMark {
    return {
      seq: this.#nextSeq,
      key: toMarkKey(mark),
      serverId: ownText(mark.serverId),
      route: mark.route,
      ts: mark.ts,
      ip: ownText(mark.ip),
      // A clock that was set back a little does not shorten the life of what came before.
      expiresAtMs: Math.max(now + this.#lifetimeMs, this.#latestExpiryMs),
    };
  }

  #add(mark: KeptMark): void {
    this.#nextSeq = Math.max(this.#nextSeq, mark.seq + 1);
    this.#latestExpiryMs = Math.max(this.#latestExpiryMs, mark.expiresAtMs);
    this.#marks.set(mark.key, mark);
    this.#byAge.add(mark);
    this.#servers.add(mark.serverId, mark);
    this.#payers.add(mark);
  }

  #remove(mark: KeptMark): void {
    this.#marks.delete(mark.key);
    this.#byAge.remove(mark);
    this.#servers.remove(mark.serverId, mark);
    this.#payers.remove(mark);
  }

  #evict(now: number): Eviction {
    const evicted = this.#payers.next;
    if (evicted === undefined) throw new Error('an empty table cannot be full');
    this.#remove(evicted);
    const { serverId, ts } = evicted;
    const floor = this.#floors.raise({ serverId, ts, expiresAtMs: now + this.#lifetimeMs });
    return { evicted, floor };
  }

  /** Drops what has expired, and gives the time. */
  #age(): number {
    const now = this.#clock.epochMs();
    if (this.#latestExpiryMs > now + 2 * this.#lifetimeMs) this.#followClockBack(now);
    for (let next = this.#byAge.first; next !== undefined; next = this.#byAge.first) {
      if (next.expiresAtMs > now) break;
      this.#remove(next);
      this.#expiredSeq = Math.max(this.#expiredSeq, next.seq);
    }
    this.#expiredFloorMs = Math.max(this.#expiredFloorMs, this.#floors.dropExpired(now) ?? 0);
    return now;
  }

  /**
   * The clock was wrong, and has been set back by more than a mark's life. What it stamped must not stay until that
   * time comes again, which may be in years; it stays for one life more.
   */
  #followClockBack(now: number): void {
    this.#latestExpiryMs = now + this.#lifetimeMs;
    for (const mark of this.#marks.values()) {
      mark.expiresAtMs = Math.min(mark.expiresAtMs, this.#latestExpiryMs);
    }
    this.#floors.dropBeyond(this.#latestExpiryMs);
  }
}
