/** Why the push relay did not do what it was asked. */
export interface PushFailure {
  readonly isOk: false;
  /**
   * `disabled`: push is turned off; `refused`: pointless to repeat; `token-limit`: the relay has no room for another token;
   * `rate-limited`: too many requests; `unavailable`: the relay cannot be reached, or is not well. The last two may be
   * repeated, not before `retryAfterMs`. A send that was `unavailable` may have been delivered all the same.
   */
  readonly kind: 'disabled' | 'refused' | 'token-limit' | 'rate-limited' | 'unavailable';
  /** For people; never a token, title or text. */
  readonly message: string;
  /** The relay's own code: `timestamp`, `invalid_signature`… */
  readonly error?: string | undefined;
  /** What the relay asked for, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** What came of a registration. */
export type PushOutcome = { readonly isOk: true } | PushFailure;

/** What came of one token of a send. */
export interface TokenResult {
  readonly token: string;
  /** Whether Apple has taken the push. */
  readonly isDelivered: boolean;
  /** The token is dead: it was forgotten here and by the relay. */
  readonly isDropped: boolean;
}

/** What came of a send. */
export interface PushReport {
  /** One for each distinct token that was tried. */
  readonly results: readonly TokenResult[];
  /** Why the tokens without a result were not tried. */
  readonly failure?: PushFailure | undefined;
}
