/** A request as the push relay needs it, whichever server has taken it. */
export interface PushRequest {
  readonly method: string;
  /** The request target as sent. */
  readonly target: string;
  /** The TCP peer; undefined when it is gone. */
  readonly peerAddress: string | undefined;
  /** The `X-Forwarded-For` header. */
  readonly forwardedFor: string | string[] | undefined;
  /** Reads the body, at most once, when it is wanted. Never rejects. */
  readBody(maxBytes: number): Promise<Uint8Array | BodyFault>;
}

/** Why there is no body: more than allowed, or the connection ended before it did. */
export type BodyFault = 'too-large' | 'aborted';

/** An answer, ready to be written. */
export interface PushResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
