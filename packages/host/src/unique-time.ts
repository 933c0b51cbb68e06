import type { Clock } from '@openchambery/tunnel';

/** Within this, a time that is not later than the last one used is taken for the same moment, in ms. */
const SAME_MOMENT_MS = 1000;

/** Times for signatures. A relay takes each signed text once, so two in the same ms get two; a clock set back is followed. */
export class UniqueTime {
  readonly #clock: Clock;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** About now, in ms since the epoch; never what the last call gave. */
  next(): number {
    const now = Math.round(this.#clock.epochMs());
    const isSameMoment = now <= this.#last && this.#last - now < SAME_MOMENT_MS;
    this.#last = isSameMoment ? this.#last + 1 : now;
    return this.#last;
  }
}
