/** What a service answered to one push, as far as it got here. */
export interface Answer {
  /** HTTP status, 200 or more. */
  readonly status: number;
  /** Empty when there is none, or more than any answer of the service has. */
  readonly body: Buffer;
  /** The header as it came. */
  readonly retryAfter: unknown;
}

const EMPTY = Buffer.alloc(0);

/** The answer to nearly every push: one object for all. */
export const OK: Answer = { status: 200, body: EMPTY, retryAfter: undefined };
