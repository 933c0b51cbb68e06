import { Holders, LinkedList, type ListNode } from '@openchambery/daemon';
import type { Clock } from '@openchambery/wire';

/** What a {@link ReplayCache} needs. */
export interface ReplayCacheOptions {
  readonly clock: Clock;
  /** How long an upgrade is remembered, in ms; at least twice the allowed clock skew. */
  readonly replayMs: number;
  /** Most upgrades remembered at once; at least 1. */
  readonly maxEntries: number;
}

/** An authenticated upgrade. */
export interface SeenUpgrade {
  /** Tells it from every other upgrade: what its signature is over. */
  readonly key: string;
  /** Normalised IP it came from, which pays for the record. */
  readonly ip: string;
}

interface ReplayRecord extends SeenUpgrade {
  readonly expiresAtMs: number;
}

/**
 * Remembers authenticated upgrades, so that one that was overheard cannot be used again. When it is full, the IP that
 * holds most loses its oldest record: a flood from one place forgets its own past, not that of other Hosts. Every call
 * takes constant time, but for dropping what has expired, which each record pays once.
 */
export class ReplayCache {
  readonly #options: ReplayCacheOptions;
  readonly #records = new Map<string, ReplayRecord>();
  readonly #byAge = new LinkedList<ReplayRecord>();
  readonly #holders = new Holders<ListNode<ReplayRecord>>();

  constructor(options: ReplayCacheOptions) {
    this.#options = options;
  }

  /** Records held, expired ones included until the next call. */
  get size(): number {
    return this.#records.size;
  }

  /** Remembers an upgrade; says `replay`, and changes nothing, when it is remembered already. */
  remember({ key, ip }: SeenUpgrade): 'fresh' | 'replay' {
    const now = this.#options.clock.monotonicMs();
    this.#dropExpired(now);
    if (this.#records.has(key)) return 'replay';

    // Timestamps are checked in whole ms: one that is good from the first to the last ms of the skew is good for up to
    // 1 ms longer than twice the skew.
    const record: ReplayRecord = { key, ip, expiresAtMs: now + this.#options.replayMs + 1 };
    this.#records.set(key, record);
    this.#holders.add(ip, this.#byAge.append(record));
    // Room is made afterwards, so that the newcomer counts towards its own IP.
    if (this.#records.size > this.#options.maxEntries) this.#forgetOldestOf(this.#holders.busiestKey());
    return 'fresh';
  }

  #dropExpired(now: number): void {
    for (let oldest = this.#byAge.first; oldest !== undefined; oldest = this.#byAge.first) {
      if (oldest.value.expiresAtMs > now) return;
      // The oldest of all is the oldest of its IP.
      this.#forgetOldestOf(oldest.value.ip);
    }
  }

  #forgetOldestOf(ip: string | undefined): void {
    const oldest = ip === undefined ? undefined : this.#holders.takeOldest(ip);
    if (oldest === undefined) return;
    this.#byAge.remove(oldest);
    this.#records.delete(oldest.value.key);
  }
}
