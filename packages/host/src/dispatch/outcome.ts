import type { Refusal } from './refusal.ts';

/** How a request's way to the target ended. */
export type Outcome =
  /** The answer is with the tunnel, to its last byte. */
  | { readonly kind: 'answered' }
  /** Nothing was answered yet: the Client can be told why. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The target broke off in the middle of its answer. */
  | { readonly kind: 'broken-off' }
  /** The Client gave up, or its connection ended. */
  | { readonly kind: 'abandoned' };
