import type { Clock } from '@openchambery/daemon';

/** One moment by both clocks. */
export interface Moment {
  /** By the wall clock, ms since the epoch. */
  readonly epochMs: number;
  /** By the clock that is never set, ms. */
  readonly monotonicMs: number;
}

/** For how long something is remembered: until both clocks say so. */
export interface Lease {
  /** By the wall clock, ms since the epoch; it holds across restarts. */
  readonly expiresAtMs: number;
  /** By the monotonic clock, ms; counted from the start of the process for what an earlier one has kept. */
  readonly heldUntilMs: number;
}

/**
 * Gives leases of one length, and tells when they are over. The wall clock alone does not do: it may leap ahead and
 * come back (NTP, a virtual machine), or begin in 1970 and be set later, and a text forgotten meanwhile could be used
 * again. Nor does the monotonic one: while it runs on, a wall clock that is set back lets a text be valid for longer.
 */
export class Leases {
  /** In ms. */
  readonly lengthMs: number;
  readonly #clock: Clock;

  /** @param replayMs how long to remember, in ms; at least twice the allowed clock skew. */
  constructor(clock: Clock, replayMs: number) {
    this.#clock = clock;
    // Timestamps are checked in whole ms: one that is good from the first to the last ms of the skew is good for up to
    // 1 ms longer than twice the skew.
    this.lengthMs = replayMs + 1;
  }

  now(): Moment {
    return { epochMs: this.#clock.epochMs(), monotonicMs: this.#clock.monotonicMs() };
  }

  begin(now: Moment): Lease {
    return { expiresAtMs: now.epochMs + this.lengthMs, heldUntilMs: this.#holdFrom(now) };
  }

  /** For what another process began. */
  resume(expiresAtMs: number, now: Moment): Lease {
    return { expiresAtMs, heldUntilMs: this.#holdFrom(now) };
  }

  isOver(lease: Lease, now: Moment): boolean {
    return this.remainingMs(lease, now) <= 0;
  }

  /** In ms, when nobody sets the clock; 0 or less when it is over. */
  remainingMs({ expiresAtMs, heldUntilMs }: Lease, now: Moment): number {
    const heldMs = heldUntilMs - now.monotonicMs;
    const untilExpiryMs = expiresAtMs - now.epochMs;
    // Only a wall clock that was wrong gives that much. To wait for its time may be to wait for years.
    if (untilExpiryMs > 2 * this.lengthMs) return heldMs;
    return Math.max(heldMs, untilExpiryMs);
  }

  #holdFrom(now: Moment): number {
    return Math.ceil(now.monotonicMs) + this.lengthMs;
  }
}
