import { Fifo } from '../fifo.ts';
import type { Lane } from './lane.ts';
import type { PlaintextBuilder } from './outgoing-frame.ts';

/** Payload bytes that a lane may send before the next one has its turn: one full frame. */
const TURN_BYTES = 65_536;

/** What a lane that was quiet may send ahead of those that have been sending all along, in bytes. */
const EXPRESS_BYTES = 16 * 1024;

/** What each frame counts on top of its payload. */
const FRAME_COST_BYTES = 64;

/** A frame is not cut to fill less room than this, in bytes. */
const MIN_CUT_BYTES = 16 * 1024;

/**
 * The order of the lanes, after the manner of FQ-CoDel (RFC 8290 section 4): a lane that was quiet comes first with what
 * little it has, lanes with much to send take turns of one frame. A lane has to have had its place among the others
 * before it counts as quiet again, so that nobody starves.
 */
export class Turns {
  readonly #express = new Fifo<Lane>();
  readonly #round = new Fifo<Lane>();

  /** A lane has something to send. */
  enlist(lane: Lane): void {
    if (lane.isListed) return;
    lane.isListed = true;
    lane.turnBytes = EXPRESS_BYTES;
    this.#express.push(lane);
  }

  /** Moves frames into a plaintext until it is full or nothing is left. */
  serve(builder: PlaintextBuilder): void {
    for (;;) {
      const lane = this.#express.first ?? this.#round.first;
      if (lane === undefined) return;
      if (lane.pieceCount === 0) {
        this.#retire();
        continue;
      }
      const wanted = lane.nextFrameBytes;
      // A whole turn is enough for any frame.
      if (wanted > lane.turnBytes && lane.turnBytes < TURN_BYTES) {
        this.#rotate();
        continue;
      }
      const payloadBytes = fit(lane, wanted, builder.room);
      if (payloadBytes === undefined) return;
      builder.add(lane.take(payloadBytes));
      lane.turnBytes -= payloadBytes + FRAME_COST_BYTES;
    }
  }

  /** Drops what all lanes have. */
  dropAll(): void {
    for (const list of [this.#express, this.#round]) {
      for (let lane = list.shift(); lane !== undefined; lane = list.shift()) {
        lane.isListed = false;
        lane.drop();
      }
    }
  }

  /** The lane in front goes behind all others. */
  #rotate(): void {
    const lane = this.#express.size > 0 ? this.#express.shift() : this.#round.shift();
    if (lane === undefined) return;
    lane.turnBytes = TURN_BYTES;
    this.#round.push(lane);
  }

  /** The lane in front has nothing: one that was quiet waits for its place among the others before it is so again. */
  #retire(): void {
    if (this.#express.size > 0 && this.#round.size > 0) return this.#rotate();
    const lane = this.#express.size > 0 ? this.#express.shift() : this.#round.shift();
    if (lane !== undefined) lane.isListed = false;
  }
}

function fit(lane: Lane, wanted: number, room: number): number | undefined {
  if (wanted <= room) return wanted;
  return lane.isDivisible && room >= MIN_CUT_BYTES ? room : undefined;
}
