import { frameTrain } from './frames.ts';
import type { Peer } from './peer.ts';

/** How much one write carries: large enough that the generator's own system calls do not decide the figure. */
const TRAIN_BYTES = 128 * 1024;

/** A direction of a pair that carries messages as fast as backpressure allows. */
export interface Stream {
  readonly from: Peer;
  readonly to: Peer;
  readonly payloadBytes: number;
  /** The most that may be under way, for rivals that cannot push back; unbounded when absent. */
  readonly maxUnderWayBytes?: number | undefined;
}

/** Starts a stream and returns what stops it. */
export function startStream(stream: Stream): () => void {
  const { bytes } = frameTrain(stream.payloadBytes, TRAIN_BYTES);
  const { socket } = stream.from;
  const limit = stream.maxUnderWayBytes ?? Number.POSITIVE_INFINITY;
  const receivedBefore = stream.to.counter.bytes;
  let sent = 0;
  let running = true;
  const pump = (): void => {
    if (!running || socket.destroyed) {
      return;
    }
    if (sent - (stream.to.counter.bytes - receivedBefore) > limit) {
      setTimeout(pump, 1);
      return;
    }
    sent += bytes.length;
    // One train per turn of the loop: a socket that takes everything at once must not starve the receivers.
    socket.write(bytes, () => setImmediate(pump));
  };
  pump();
  return () => {
    running = false;
  };
}
