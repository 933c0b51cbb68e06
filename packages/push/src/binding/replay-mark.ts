/** What tells a signed request from every other, and who pays for remembering it. */
export interface ReplayMark {
  readonly serverId: string;
  /** SHA-256 of the signed text, 32 bytes: the text, and not the signature, which has a twin. */
  readonly textHash: Buffer;
  /** The request path that the text was used on. */
  readonly route: string;
  /** `ts` of the request, ms since the epoch. */
  readonly ts: number;
  /** Normalised IP. */
  readonly ip: string;
}

/**
 * Whether a signed text may be used: `fresh` for the first time; `repeat` when the same route has had it from the
 * same server; `replay` when another route has; `full` when this server would have to pay for the room.
 */
export type ReplayVerdict =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'replay' }
  | {
      readonly kind: 'full';
      /** When the first of the server's own marks is forgotten, in ms from now. */
      readonly retryAfterMs: number;
    };
