import type { Outcome } from './outcome.ts';

/** What has to come of what is sent. */
export type Due =
  /** One answer with one of the outcomes. `may-close`: the connection may end after it, without a word even. */
  | {
      readonly kind: 'answer';
      readonly outcomes: readonly Outcome[];
      readonly after: 'goes-on' | 'may-close';
    }
  /** This is not HTTP any more: some answers, or none, and the end of the connection. */
  | { readonly kind: 'end' };

/** Something that is sent, and what is due for it. */
export interface Exchange {
  readonly bytes: Buffer;
  /** Where the bytes are cut into writes of their own, ascending. */
  readonly cuts: readonly number[];
  readonly due: Due;
  /** The tokens of the rows that a 200 has to have, in order; undefined: any of those in the bytes. */
  readonly rows?: readonly string[] | undefined;
  /** How this side leaves where the end is due. */
  readonly leave?: 'fin' | 'reset' | undefined;
}

/** One case: exchanges on one connection, one after the other or all at once. */
export interface CasePlan {
  readonly seed: number;
  readonly exchanges: readonly Exchange[];
  readonly isPipelined: boolean;
  /** What the case is about, to be counted. */
  readonly traits: readonly string[];
}
