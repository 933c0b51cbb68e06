/**
 * What became of one push: the one union that decides everything downstream. `reason` is the service's own word
 * (`BadDeviceToken`) or ours for what it did not say (`timeout`); it never holds a token or a payload.
 */
export type PushOutcome =
  | Accepted
  | DeadToken
  | MismatchedToken
  | RequestFault
  | ConfigurationFault
  | TryLater
  | UnknownOutcome;

/** The service has taken the push. */
export interface Accepted {
  readonly kind: 'accepted';
}

/** The service has known the token and knows that it is dead. */
export interface DeadToken {
  readonly kind: 'dead';
  readonly reason: string;
  /** Since when, ms since the epoch by the service's clock; undefined when it does not say. */
  readonly sinceMs: number | undefined;
}

/** This environment and topic do not know the token: it is dead, or it belongs to another of them. */
export interface MismatchedToken {
  readonly kind: 'mismatch';
  readonly reason: string;
}

/** The push itself is at fault; another of the same make would fare the same. */
export interface RequestFault {
  readonly kind: 'request-fault';
  readonly reason: string;
}

/** The operator has to change something: key, team, topic, clock. */
export interface ConfigurationFault {
  readonly kind: 'configuration-fault';
  readonly reason: string;
}

/** Certainly not delivered, through no fault of token, push or configuration. */
export interface TryLater {
  readonly kind: 'later';
  readonly reason: string;
  /** What the service asks to wait, in ms; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;
}

/** May or may not have been delivered; sending it again could show it twice. */
export interface UnknownOutcome {
  readonly kind: 'unknown';
  readonly reason: string;
}
