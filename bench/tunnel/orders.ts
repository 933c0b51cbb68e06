/** What a client process is asked to do. */
export type Order =
  /** Moves `bytes`, shared out evenly among streams. */
  | { readonly kind: 'download' | 'upload'; readonly streams: number; readonly bytes: number }
  /** Fetches 1 KiB `count` times, by as many lanes as `concurrency` says, each one request after the other. */
  | { readonly kind: 'small'; readonly count: number; readonly concurrency: number }
  /** Fetches answers of these sizes, one after the other, `count` times. */
  | { readonly kind: 'answers'; readonly sizes: readonly number[]; readonly count: number }
  /** Fetches an answer that comes in drops, `count` times; the times are those from the end at the origin to the end here. */
  | { readonly kind: 'drops'; readonly count: number };

/** What came of it. */
export interface Outcome {
  readonly seconds: number;
  /** One for each request, in ms; empty for bulk. */
  readonly timesMs: readonly number[];
}

/** What a process says over its channel: that it is ready, once, and what came of an order. */
export type Word =
  | { readonly kind: 'ready'; readonly facts: Readonly<Record<string, string>> }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly message: string };
