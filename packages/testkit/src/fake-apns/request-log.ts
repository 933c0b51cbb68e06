import { DEFAULT_WAIT_MS, withTimeout } from '../wait.ts';
import type { ProviderToken } from './provider-token.ts';

/** What became of a request: `status` when it was answered, `fault` when something else ended it. */
export type RecordedAnswer =
  | { readonly status: number; readonly reason?: string }
  | { readonly fault: string }
  | 'pending';

/** One request, complete with its body. */
export interface RecordedRequest {
  /** 0 for the first request of the server. */
  readonly index: number;
  /** By the server's clock, UNIX ms. */
  readonly atMs: number;
  /** 1 for the first connection. */
  readonly sessionId: number;
  readonly streamId: number;
  /** As sent; empty when the path has none. */
  readonly token: string;
  /** The one sent, else the one the answer carries. */
  readonly apnsId: string;
  /** All but `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the `authorization` header says; undefined without one. `valid` is false where no keys are known. */
  readonly jwt: ProviderToken | undefined;
  /** Parsed JSON; undefined when it is not JSON or far too long. */
  readonly payload: unknown;
  readonly payloadBytes: number;
  readonly answer: RecordedAnswer;
}

/** A record whose answer is still to come. */
export interface OpenRecord extends RecordedRequest {
  answer: RecordedAnswer;
}

interface Waiter {
  readonly total: number;
  readonly resolve: () => void;
}

/** Requests that are kept when nothing else is said. */
export const DEFAULT_RECORD_LIMIT = 100_000;

/** How many tokens are counted; beyond that the one first seen longest ago is forgotten. */
const MAX_COUNTED_TOKENS = 1_000_000;

/** The requests a fake APNs got, the latest `limit` of them. */
export class RequestLog {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #records: OpenRecord[] = [];
  #dropped = 0;
  #taken = 0;

  /** A `limit` of 0 records nothing. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isOn(): boolean {
    return this.#limit > 0;
  }

  /** Requests ever recorded; the index of the next one. */
  get total(): number {
    return this.#dropped + this.#records.length;
  }

  /** In order of arrival, oldest first. */
  list(): readonly RecordedRequest[] {
    return this.#records.slice(-this.#limit);
  }

  count(token: string): number {
    return this.#counts.get(token.toLowerCase()) ?? 0;
  }

  add(record: OpenRecord): void {
    this.#records.push(record);
    // Twice the limit, then half is cut off: O(1) for each request.
    if (this.#records.length >= 2 * this.#limit) {
      this.#dropped += this.#records.length - this.#limit;
      this.#records = this.#records.slice(-this.#limit);
    }
    this.#countToken(record.token.toLowerCase());
    if (this.#waiters.size > 0) this.#wake();
  }

  /** Resolves when `total` requests were recorded, with all that are still kept. */
  async waitFor(total: number, timeoutMs: number = DEFAULT_WAIT_MS): Promise<readonly RecordedRequest[]> {
    await this.#reach(total, timeoutMs);
    return this.list();
  }

  /** The first request that no earlier call has given back, now or when it arrives. */
  async next(timeoutMs: number = DEFAULT_WAIT_MS): Promise<RecordedRequest> {
    const index = Math.max(this.#taken, this.total - Math.min(this.#limit, this.#records.length));
    this.#taken = index + 1;
    await this.#reach(index + 1, timeoutMs);
    const record = this.#records[index - this.#dropped];
    if (record === undefined) throw new Error(`request ${index} is no longer kept`);
    return record;
  }

  #countToken(token: string): void {
    const count = this.#counts.get(token);
    if (count === undefined && this.#counts.size >= MAX_COUNTED_TOKENS) {
      const [oldest = token] = this.#counts.keys();
      this.#counts.delete(oldest);
    }
    this.#counts.set(token, (count ?? 0) + 1);
  }

  async #reach(total: number, timeoutMs: number): Promise<void> {
    if (!this.isOn) throw new Error('this fake APNs records no requests');
    if (this.total >= total) return;
    let waiter: Waiter | undefined;
    const reached = new Promise<void>((resolve) => {
      waiter = { total, resolve };
      this.#waiters.add(waiter);
    });
    try {
      await withTimeout(reached, () => `${this.total} of ${total} requests had arrived`, timeoutMs);
    } finally {
      if (waiter !== undefined) this.#waiters.delete(waiter);
    }
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      if (this.total < waiter.total) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}
