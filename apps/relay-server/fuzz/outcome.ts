/** What an answer of the contract amounts to: done, nothing there, or its error code. */
export type Outcome = 'ok' | 'not_found' | ErrorCode;

/** The error codes of the contract, and the HTTP status of each (push API §1). */
export const ERROR_STATUS = {
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

export type ErrorCode = keyof typeof ERROR_STATUS;

/** What may come of a request about which nothing more is known. Limits are out of reach, and nothing may break. */
export const ANYTHING: readonly Outcome[] = [
  'ok',
  'not_found',
  'invalid_request',
  'unsupported_platform',
  'timestamp',
  'invalid_signature',
  'replay',
  'payload_too_large',
];
