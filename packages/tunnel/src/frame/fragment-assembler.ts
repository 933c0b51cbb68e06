import { MAX_MESSAGE_BYTES } from '../limits.ts';
import { FRAME_TYPE } from './frame-type.ts';
import type { TunnelFrame } from './tunnel-frame.ts';

/** What a fragment has led to. */
export type Assembled =
  /** More fragments of the message are to come. */
  | { readonly state: 'incomplete' }
  /** A message is whole. Bytes may be a view into the plaintext that brought them. */
  | { readonly state: 'message'; readonly message: string | Uint8Array }
  /** The peer broke the rules; the assembler is empty again. */
  | { readonly state: 'fault'; readonly reason: string };

/** What there is of a message, in a buffer that doubles: many small fragments cost no more than few large ones. */
interface PartialMessage {
  readonly type: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly byteLength: number;
}

const INCOMPLETE: Assembled = { state: 'incomplete' };
const FIRST_CAPACITY = 1024;

// A byte order mark belongs to the message.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Puts the messages of one WebSocket stream together from WsText and WsBinary frames, in the order they came. */
export class FragmentAssembler {
  readonly #maxMessageBytes: number;
  #partial: PartialMessage | undefined;

  /** @param maxMessageBytes most bytes in a message; at most, and by default, `MAX_MESSAGE_BYTES` */
  constructor(maxMessageBytes: number = MAX_MESSAGE_BYTES) {
    this.#maxMessageBytes = Math.min(maxMessageBytes, MAX_MESSAGE_BYTES);
  }

  /** Bytes of a message that is not whole yet. */
  get bufferedBytes(): number {
    return this.#partial?.byteLength ?? 0;
  }

  /** Takes the next frame, of type WsText or WsBinary. */
  add(frame: TunnelFrame): Assembled {
    const partial = this.#partial;
    this.#partial = undefined;
    if (partial !== undefined && partial.type !== frame.type) {
      return { state: 'fault', reason: 'text and binary in one message' };
    }
    const byteLength = (partial?.byteLength ?? 0) + frame.payload.length;
    if (byteLength > this.#maxMessageBytes) return { state: 'fault', reason: 'message too big' };
    if (partial === undefined && !frame.hasMore) return whole(frame.type, frame.payload);

    const bytes = withRoom(partial, byteLength);
    bytes.set(frame.payload, byteLength - frame.payload.length);
    if (!frame.hasMore) return whole(frame.type, bytes.subarray(0, byteLength));
    this.#partial = { type: frame.type, bytes, byteLength };
    return INCOMPLETE;
  }
}

function withRoom(partial: PartialMessage | undefined, byteLength: number): Uint8Array<ArrayBuffer> {
  if (partial === undefined) return new Uint8Array(Math.max(byteLength, FIRST_CAPACITY));
  if (byteLength <= partial.bytes.length) return partial.bytes;
  const larger = new Uint8Array(Math.max(byteLength, 2 * partial.bytes.length));
  larger.set(partial.bytes.subarray(0, partial.byteLength));
  return larger;
}

function whole(type: number, bytes: Uint8Array): Assembled {
  return { state: 'message', message: type === FRAME_TYPE.wsText ? decoder.decode(bytes) : bytes };
}
