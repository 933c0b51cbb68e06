import { constants } from 'node:http2';

/** A GOAWAY as received (RFC 9113 section 6.8). */
export interface GoAway {
  readonly code: number;
  /** No stream above it was or will be processed. */
  readonly lastStreamId: number;
}

/**
 * How a push was lost without an answer.
 * - unsent: it never got a stream.
 * - above-goaway: the peer has said that it processes no stream as new as this one.
 * - refused: the peer has refused this stream before doing anything with it.
 * - unknown: it may have been processed.
 */
export type Loss =
  | { readonly kind: 'unsent' | 'above-goaway' | 'refused' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What is known of a stream that was closed without an answer. */
export interface ClosedStream {
  /** Undefined when it never got one. */
  readonly id: number | undefined;
  readonly rstCode: number;
  /** The last GOAWAY on its session. */
  readonly goAway: GoAway | undefined;
  /** Why we have ended the session ourselves, if we have. */
  readonly ownEnd: string | undefined;
}

/** Decides whether a lost push may have been processed: RFC 9113 sections 6.8 and 8.7. */
export function classifyLoss(stream: ClosedStream): Loss {
  const { id, rstCode, goAway, ownEnd } = stream;
  if (id === undefined) return { kind: 'unsent' };
  if (goAway !== undefined && id > goAway.lastStreamId) return { kind: 'above-goaway' };
  if (ownEnd !== undefined) return { kind: 'unknown', reason: ownEnd };
  // After a GOAWAY with an error Node gives its code to every stream: 7 then says nothing about this one.
  if (goAway !== undefined && goAway.code !== constants.NGHTTP2_NO_ERROR) {
    return { kind: 'unknown', reason: 'connection-lost' };
  }
  if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return { kind: 'refused' };
  return { kind: 'unknown', reason: 'connection-lost' };
}
