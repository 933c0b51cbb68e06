import { Fifo } from '../fifo.ts';
import type { Lane } from './lane.ts';
import type { PlaintextBuilder } from './outgoing-frame.ts';

/** Payload bytes that a lane may send before the next one has its turn: one full frame. */
const TURN_BYTES = 65_536;

/** What a lane that had nothing waiting may send ahead of those with much to send, in bytes. */
const EXPRESS_BYTES = 16 * 1024;

/** What each frame counts on top of its payload, in bytes. */
const FRAME_COST_BYTES = 64;

/** A frame is not cut to fill less room than this, in bytes. */
const MIN_CUT_BYTES = 16 * 1024;

/**
 * The order of the lanes, in the spirit of FQ-CoDel (RFC 8290 section 4): lanes with much to send go round, one frame each,
 * and a lane that had nothing waiting comes before them with what little it has. Whoever goes first this way has half of
 * the bytes at most, as long as others wait, so that however many little things there are, nobody starves. What opens a
 * stream keeps its place however long it is: a peer may take an id below one that it has seen for one that is over.
 */
export class Turns {
  readonly #express = new Fifo<Lane>();
  readonly #round = new Fifo<Lane>();
  /** Bytes that express lanes may send before one of the round has its turn. */
  #credit = TURN_BYTES;

  /** Lanes in the order, with those that were dropped since the last sweep. */
  get size(): number {
    return this.#express.size + this.#round.size;
  }

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
      const list = this.#next;
      const lane = list.first;
      if (lane === undefined) return;
      const wanted = lane.nextFrameBytes;
      if (lane.pieceCount === 0) {
        // It was dropped.
        unlist(lane, list);
      } else if (wanted > lane.turnBytes && lane.turnBytes < TURN_BYTES && !lane.isOpening) {
        list.shift();
        // Enough for any frame.
        lane.turnBytes = TURN_BYTES;
        this.#round.push(lane);
      } else {
        const payloadBytes = fit(lane, wanted, builder.room);
        if (payloadBytes === undefined) return;
        builder.add(lane.take(payloadBytes));
        this.#account(list, lane, payloadBytes + FRAME_COST_BYTES);
      }
    }
  }

  /** Takes lanes out that were dropped. */
  sweep(): void {
    for (const list of [this.#express, this.#round]) {
      list.retain((lane) => {
        lane.isListed = lane.pieceCount > 0;
        return lane.isListed;
      });
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

  get #next(): Fifo<Lane> {
    if (this.#round.size === 0) return this.#express;
    return this.#express.size > 0 && this.#credit > 0 ? this.#express : this.#round;
  }

  #account(list: Fifo<Lane>, lane: Lane, cost: number): void {
    lane.turnBytes -= cost;
    if (lane.pieceCount === 0) unlist(lane, list);
    if (list === this.#express && this.#round.size > 0) this.#credit -= cost;
    else if (list === this.#round) this.#credit = Math.min(TURN_BYTES, this.#credit + cost);
  }
}

/** Takes the lane in front out of its list. */
function unlist(lane: Lane, list: Fifo<Lane>): void {
  list.shift();
  lane.isListed = false;
}

function fit(lane: Lane, wanted: number, room: number): number | undefined {
  if (wanted <= room) return wanted;
  return lane.isDivisible && room >= MIN_CUT_BYTES ? room : undefined;
}
