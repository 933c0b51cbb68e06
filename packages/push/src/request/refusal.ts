/** The error codes of the contract, and the HTTP status of each. */
export const REFUSAL_STATUS = {
  invalid_request: 400,
  unsupported_platform: 400,
  timestamp: 401,
  invalid_signature: 401,
  replay: 401,
  payload_too_large: 413,
  rate_limited: 429,
  token_limit: 429,
  internal: 500,
  shutting_down: 503,
} as const;

/** What a caller reads in `error`. */
export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** A request that is not carried out. */
export interface Refusal {
  readonly refusal: RefusalCode;
  /** For the log: which member is wrong, or which limit was met; never a value from the request. */
  readonly detail: string;
  /** When to try again, in ms; only of limits. */
  readonly retryAfterMs?: number;
}

/** Tells a refusal from what was asked for. */
export function isRefusal(value: object): value is Refusal {
  return 'refusal' in value;
}
