import type { Clock, Timer } from '@openchambery/wire';
import type { RelaySocket } from './relay-socket.ts';

/** Sockets probed in one turn of the event loop: sockets that came together must not all be pinged at once. */
const BEATS_PER_TURN = 32;

/** What a heartbeat is made of. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Time between two probes of one socket, in ms. */
  readonly intervalMs: number;
  readonly nextTurn: (callback: () => void) => void;
}

/**
 * Probes every socket once per interval with a single timer: as the interval is the same for all, the sockets stand
 * in the order of their next probe, and the first of them tells when to wake up.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  /** Socket → when it is due, in monotonic ms; in that order. */
  readonly #due = new Map<RelaySocket, number>();
  #timer: Timer | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Starts to probe a socket. */
  add(socket: RelaySocket): void {
    this.#due.set(socket, this.#options.clock.monotonicMs() + this.#options.intervalMs);
    if (this.#timer === undefined) this.#wakeForFirst();
  }

  /** Stops probing a socket. With the last one, the timer goes too. */
  remove(socket: RelaySocket): void {
    this.#due.delete(socket);
    if (this.#due.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wakeForFirst(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const dueAtMs of this.#due.values()) {
      const waitMs = Math.max(1, Math.ceil(dueAtMs - this.#options.clock.monotonicMs()));
      this.#timer = this.#options.clock.setTimer(() => this.#beat(), waitMs);
      return;
    }
  }

  #beat(): void {
    const now = this.#options.clock.monotonicMs();
    let beats = 0;
    for (const [socket, dueAtMs] of this.#due) {
      if (dueAtMs > now) break;
      if (beats === BEATS_PER_TURN) return this.#options.nextTurn(() => this.#beat());
      beats++;
      this.#due.delete(socket);
      this.#due.set(socket, now + this.#options.intervalMs);
      socket.beat();
    }
    this.#wakeForFirst();
  }
}
