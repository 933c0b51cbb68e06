import { FRAME_TYPE, type FrameType } from '../../frame/frame-type.ts';
import { MAX_PAYLOAD_BYTES } from '../../limits.ts';
import { Fifo } from '../fifo.ts';
import { PIECE_COST_BYTES } from '../tunnel-limits.ts';
import type { OutgoingFrame } from './outgoing-frame.ts';

/** Something to be sent: a part of a body, a whole message, or the payload of another frame. */
export interface Piece {
  readonly type: FrameType;
  readonly streamId: number;
  readonly bytes: Uint8Array;
  /** Whether it goes at once; what is not urgent may wait for company (`BATCH`). */
  readonly isUrgent: boolean;
  /** Called when all bytes have been copied into plaintexts. */
  readonly onCopied?: (() => void) | undefined;
}

/** What waits in all lanes of an outbox together. */
export class OutboxLoad {
  /** Payload bytes. */
  bytes = 0;
  /** Pieces of any kind. */
  pieces = 0;
  urgentPieces = 0;
  /** Lanes that are not empty. */
  lanes = 0;
  /** Of those, lanes that nothing is added to any more. */
  finishedLanes = 0;

  /** Bytes, with `PIECE_COST_BYTES` for each piece. */
  get cost(): number {
    return this.bytes + this.pieces * PIECE_COST_BYTES;
  }
}

/** What a lane tells the outbox it belongs to. */
export interface LaneOwner {
  readonly load: OutboxLoad;
  /** Whether so much waits in all lanes that none should grow. */
  readonly isFull: boolean;
  /** A piece was added. */
  onPushed(lane: Lane): void;
  /** What waited was dropped. */
  onDropped(): void;
  /** Waits for `relieve`, and has not too much of its own. */
  onHungry(lane: Lane): void;
}

/** What is particular to a lane. */
export interface LaneOptions {
  readonly highWaterBytes: number;
  /** Called when a lane that was full takes more again. */
  readonly onRelief: () => void;
}

/**
 * What one stream has to send, in order. Parts of a body that follow each other become one frame, a message as many as it
 * takes. Belongs to an `Outbox`, which keeps its place in the order of all lanes here too.
 */
export class Lane {
  readonly #owner: LaneOwner;
  readonly #options: LaneOptions;
  readonly #pieces = new Fifo<Piece>();
  /** Bytes of the first piece that are sent. */
  #offset = 0;
  #bytes = 0;
  /** Payload of a StreamAbort behind everything else. */
  #abortBytes = 0;
  #urgentPieces = 0;
  /** Whether somebody waits for it to take more; `queued` when the outbox knows of it. */
  #waiting: 'no' | 'yes' | 'queued' = 'no';
  #isFinished = false;

  /** Whether the outbox has it in one of its lists. */
  isListed = false;
  /** Payload bytes that it may still send in its turn. */
  turnBytes = 0;

  constructor(owner: LaneOwner, options: LaneOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  /** Payload bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  get pieceCount(): number {
    return this.#pieces.size;
  }

  /** Whether nothing waits and nothing will be added. */
  get isSpent(): boolean {
    return this.#isFinished && this.#pieces.size === 0;
  }

  /** Whether enough waits here, or in all lanes. */
  get isFull(): boolean {
    return this.#cost >= this.#options.highWaterBytes || this.#owner.isFull;
  }

  get #cost(): number {
    return this.#bytes + this.#pieces.size * PIECE_COST_BYTES;
  }

  /** Queues a piece. @returns whether more is welcome; if not, `onRelief` is called when it is again */
  push(piece: Piece): boolean {
    this.#count(-1);
    this.#pieces.push(piece);
    this.#bytes += piece.bytes.length;
    if (piece.type === FRAME_TYPE.streamAbort) this.#abortBytes = piece.bytes.length;
    if (piece.isUrgent) this.#urgentPieces += 1;
    this.#count(1);
    this.#owner.onPushed(this);
    if (!this.isFull) return true;
    this.awaitRelief();
    return false;
  }

  /** Has `onRelief` called when the lane is not full any more. */
  awaitRelief(): void {
    if (this.#waiting === 'no') this.#waiting = 'yes';
    this.#noteHunger();
  }

  /** Called by the outbox when there is room in it. @returns whether somebody was told */
  relieve(): boolean {
    if (this.#waiting !== 'queued') return false;
    this.#waiting = 'yes';
    if (!this.#isHungry) return false;
    this.#waiting = 'no';
    this.#options.onRelief();
    return true;
  }

  /** Nothing will be added any more. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (this.#pieces.size > 0) this.#owner.load.finishedLanes += 1;
  }

  /** Forgets what waits. */
  drop(): void {
    if (this.#pieces.size === 0) return;
    this.#count(-1);
    this.#pieces.clear();
    this.#offset = 0;
    this.#bytes = 0;
    this.#abortBytes = 0;
    this.#urgentPieces = 0;
    this.#owner.onDropped();
  }

  /** Payload bytes of the frame that comes next, if it is not cut shorter. */
  get nextFrameBytes(): number {
    const first = this.#pieces.first;
    if (first === undefined) return 0;
    switch (first.type) {
      case FRAME_TYPE.httpBody:
        // Behind a body comes nothing but StreamEnd, which has no payload, or StreamAbort.
        return Math.min(this.#bytes - this.#abortBytes, MAX_PAYLOAD_BYTES);
      case FRAME_TYPE.wsText:
      case FRAME_TYPE.wsBinary:
        return Math.min(first.bytes.length - this.#offset, MAX_PAYLOAD_BYTES);
      default:
        return first.bytes.length;
    }
  }

  /** Whether the next frame opens a stream. */
  get isOpening(): boolean {
    const type = this.#pieces.first?.type;
    return type === FRAME_TYPE.httpRequest || type === FRAME_TYPE.wsOpen;
  }

  /** Whether the next frame may be made shorter than {@link nextFrameBytes}. */
  get isDivisible(): boolean {
    const type = this.#pieces.first?.type;
    return type === FRAME_TYPE.httpBody || type === FRAME_TYPE.wsText || type === FRAME_TYPE.wsBinary;
  }

  /** Takes the next frame; a lane that is not empty has one. @param payloadBytes its length */
  take(payloadBytes: number): OutgoingFrame {
    const first = this.#pieces.first;
    if (first === undefined) throw new Error('an empty lane has no frame');
    const { type, streamId } = first;
    const frame = { parts: [], onCopied: [] };
    let left = payloadBytes;
    this.#count(-1);
    do {
      left -= this.#takePart(left, frame);
    } while (left > 0);
    this.#count(1);
    this.#noteHunger();
    const hasMore = this.#offset > 0 && type !== FRAME_TYPE.httpBody;
    return { type, hasMore, streamId, payloadBytes, ...frame };
  }

  #takePart(atMost: number, frame: { parts: Uint8Array[]; onCopied: (() => void)[] }): number {
    const piece = this.#pieces.first;
    if (piece === undefined) throw new Error('a frame is not longer than what waits');
    const end = Math.min(piece.bytes.length, this.#offset + atMost);
    const part = piece.bytes.subarray(this.#offset, end);
    frame.parts.push(part);
    this.#bytes -= part.length;
    this.#offset = end;
    if (end === piece.bytes.length) {
      this.#pieces.shift();
      this.#offset = 0;
      if (piece.isUrgent) this.#urgentPieces -= 1;
      if (piece.onCopied !== undefined) frame.onCopied.push(piece.onCopied);
    }
    return part.length;
  }

  /** Whether so little waits that more should be asked for. */
  get #isHungry(): boolean {
    return this.#cost <= this.#options.highWaterBytes / 2;
  }

  #noteHunger(): void {
    if (this.#waiting !== 'yes' || !this.#isHungry) return;
    this.#waiting = 'queued';
    this.#owner.onHungry(this);
  }

  /** Takes this lane out of the sums of all lanes, before something changes, or puts it in. */
  #count(sign: 1 | -1): void {
    if (this.#pieces.size === 0) return;
    const { load } = this.#owner;
    load.bytes += sign * this.#bytes;
    load.pieces += sign * this.#pieces.size;
    load.urgentPieces += sign * this.#urgentPieces;
    load.lanes += sign;
    if (this.#isFinished) load.finishedLanes += sign;
  }
}
