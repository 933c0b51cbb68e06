import type { Clock } from '@openchambery/wire';
import { LinkedList } from '../collections/linked-list.ts';

/** One request that asks to be admitted. */
export interface AdmissionRequest<Kind extends string = string> {
  /** What is counted apart from the rest: each kind has its own windows. No blanks. */
  readonly kind: Kind;
  /** Whom the request counts against: a normalised IP or a serverId. */
  readonly key: string;
  /** Most requests in one window. */
  readonly max: number;
}

/** What an {@link AdmissionTable} needs. */
export interface AdmissionTableOptions {
  readonly clock: Clock;
  /** Length of a window in ms, from the first request in it. */
  readonly windowMs: number;
  /** Most windows kept at once; at least 1. */
  readonly maxEntries: number;
}

interface AdmissionWindow {
  readonly id: string;
  readonly endsAtMs: number;
  admittedCount: number;
}

/**
 * Counts requests in fixed windows. All windows are equally long, so they end in the order they began: old ones leave
 * at the front, each once, and no request ever pays for a sweep. A full table makes room by dropping the window
 * nearest its end, because refusing instead would let a crowd of addresses lock strangers out.
 */
export class AdmissionTable<Kind extends string = string> {
  readonly #options: AdmissionTableOptions;
  readonly #windows = new Map<string, AdmissionWindow>();
  readonly #byAge = new LinkedList<AdmissionWindow>();

  constructor(options: AdmissionTableOptions) {
    this.#options = options;
  }

  /** Windows held, ended ones included until the next request. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts a request and says whether it is within its limit. One that is not leaves the window as it was. */
  admit({ kind, key, max }: AdmissionRequest<Kind>): boolean {
    const now = this.#options.clock.monotonicMs();
    this.#dropEnded(now);
    const id = `${kind} ${key}`;
    const window = this.#windows.get(id) ?? this.#open(id, now);
    if (window.admittedCount >= max) return false;
    window.admittedCount++;
    return true;
  }

  #open(id: string, now: number): AdmissionWindow {
    if (this.#windows.size >= this.#options.maxEntries) this.#dropOldest();
    const window: AdmissionWindow = { id, endsAtMs: now + this.#options.windowMs, admittedCount: 0 };
    this.#windows.set(id, window);
    this.#byAge.append(window);
    return window;
  }

  #dropEnded(now: number): void {
    for (let oldest = this.#byAge.first; oldest !== undefined; oldest = this.#byAge.first) {
      if (oldest.value.endsAtMs > now) return;
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    const oldest = this.#byAge.first;
    if (oldest === undefined) return;
    this.#byAge.remove(oldest);
    this.#windows.delete(oldest.value.id);
  }
}
