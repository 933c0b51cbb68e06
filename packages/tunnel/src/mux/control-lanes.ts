import { FRAME_TYPE, type FrameType, KEEPALIVE_STREAM_ID } from '../frame/frame-type.ts';
import { formatStreamAbort } from '../frame/socket-payloads.ts';
import type { Lane } from './outbox/lane.ts';
import type { Outbox } from './outbox/outbox.ts';

const NOTHING = new Uint8Array(0);

/** What a tunnel says for itself: Ping, Pong, and StreamAbort for streams that have nothing else to send. */
export class ControlLanes {
  readonly #pings: Lane;
  readonly #pongs: Lane;
  readonly #aborts: Lane;

  constructor(outbox: Outbox) {
    this.#pings = outbox.createLane(nobodyWaits);
    this.#pongs = outbox.createLane(nobodyWaits);
    this.#aborts = outbox.createLane(nobodyWaits);
  }

  /** StreamAborts that have not been sent. */
  get waitingAborts(): number {
    return this.#aborts.pieceCount;
  }

  /** Asks for a sign of life. */
  ping(): void {
    sayOnce(this.#pings, FRAME_TYPE.ping);
  }

  /** Gives one; however many Pings came, the Pong that still waits to be sent answers them all. */
  pong(): void {
    sayOnce(this.#pongs, FRAME_TYPE.pong);
  }

  abort(streamId: number, reason: string): void {
    const bytes = formatStreamAbort({ reason });
    this.#aborts.push({ type: FRAME_TYPE.streamAbort, streamId, bytes, isUrgent: true });
  }
}

/** What is said here is bounded otherwise. */
function nobodyWaits(): void {}

function sayOnce(lane: Lane, type: FrameType): void {
  if (lane.pieceCount > 0) return;
  lane.push({ type, streamId: KEEPALIVE_STREAM_ID, bytes: NOTHING, isUrgent: true });
}
