import type { PushOutcome } from '../provider/push-outcome.ts';

type Counts = Record<PushOutcome['kind'], number>;

/** How pushes ended since start. */
export class OutcomeCounts {
  readonly #counts: Counts = {
    accepted: 0,
    dead: 0,
    mismatch: 0,
    'request-fault': 0,
    'configuration-fault': 0,
    later: 0,
    unknown: 0,
  };

  add(outcome: PushOutcome): void {
    this.#counts[outcome.kind] += 1;
  }

  snapshot(): Readonly<Counts> {
    return { ...this.#counts };
  }
}
