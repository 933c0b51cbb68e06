import frames from '../../vectors/frames.json' with { type: 'json' };
import payloads from '../../vectors/payloads.json' with { type: 'json' };
import plaintexts from '../../vectors/plaintexts.json' with { type: 'json' };

/** One frame, its fields and its bytes in hexadecimal. */
interface FrameVector {
  readonly name: string;
  readonly type: number;
  readonly hasMore: boolean;
  readonly streamId: number;
  readonly payload: string;
  readonly bytes: string;
}

/** A message and the frames it comes in. */
interface MessageVector {
  readonly name: string;
  readonly frames: readonly string[];
  readonly text?: string;
  readonly binary?: string;
}

interface PayloadVector {
  readonly kind: string;
  readonly value: unknown;
  readonly text: string;
}

export const goodFrames: readonly FrameVector[] = frames.frames;
export const fullFrame: typeof frames.full = frames.full;
export const badFrames: readonly { readonly name: string; readonly bytes: string }[] = frames.bad;
export const messages: readonly MessageVector[] = frames.messages;
export const exactPayloads: readonly PayloadVector[] = payloads.exact;
export const toleratedPayloads: readonly (PayloadVector & { readonly name: string })[] = payloads.tolerated;
export const refusedPayloads: readonly { readonly kind: string; readonly text: string }[] = payloads.refused;
export const { good: goodPlaintexts, tolerated: toleratedPlaintexts, broken: brokenPlaintexts } = plaintexts;
