import type { Check, Measurement, RivalName, Verdict } from '../results.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** A figure of a scenario, in words and unit. */
export interface Figure {
  readonly variant: string;
  readonly figure: string;
  readonly unit: string;
}

/** A bound to hold: `≤` unless `relation` says otherwise. */
export interface Bound {
  readonly relation: '≤' | '<' | '≥';
  readonly value: number;
  /** Which value of the spread decides: the median, or the worst for bounds that may never be passed. */
  readonly judgedBy?: 'median' | 'max';
}

/** The figures of one scenario, round by round. */
export class Ledger {
  readonly #scenario: string;
  readonly #entries = new Map<string, { figure: Figure; rival: RivalName; rounds: number[] }>();

  constructor(scenario: string) {
    this.#scenario = scenario;
  }

  /** Adds what one round gave. */
  add(rival: RivalName, figure: Figure, value: number): void {
    const key = keyOf(rival, figure);
    const entry = this.#entries.get(key) ?? { figure, rival, rounds: [] };
    entry.rounds.push(value);
    this.#entries.set(key, entry);
  }

  /** All rounds of one figure; empty when the rival did not take part. */
  rounds(rival: RivalName, figure: Figure): readonly number[] {
    return this.#entries.get(keyOf(rival, figure))?.rounds ?? [];
  }

  /** Checks the ratio of two figures, formed round by round. */
  ratioCheck(ratio: {
    readonly figure: Figure;
    readonly of: readonly number[];
    readonly to: readonly number[];
    /** Absent where a ratio is given without a target. */
    readonly bound?: Bound;
    readonly note?: string;
  }): Check {
    const ratios = ratio.of.flatMap((value, round) => {
      const divisor = ratio.to[round];
      return divisor === undefined ? [] : [value / divisor];
    });
    return this.boundCheck({ ...ratio, values: ratios });
  }

  /** Checks a figure against a bound. */
  boundCheck(check: {
    readonly figure: Figure;
    readonly values: readonly number[];
    readonly bound?: Bound;
    readonly note?: string;
  }): Check {
    const { figure, bound, values } = check;
    const common = {
      scenario: this.#scenario,
      ...figure,
      target: bound === undefined ? '–' : `${bound.relation} ${bound.value} ${figure.unit}`.trimEnd(),
      ...(check.note === undefined ? {} : { note: check.note }),
    };
    if (values.length === 0) {
      return { ...common, verdict: 'not available', note: check.note ?? 'a rival did not run' };
    }
    const spread = spreadOf(values);
    return { ...common, spread, verdict: judge(spread, bound) };
  }

  measurements(): Measurement[] {
    return [...this.#entries.values()].map(({ figure, rival, rounds }) => ({
      scenario: this.#scenario,
      rival,
      ...figure,
      spread: spreadOf(rounds),
      rounds,
    }));
  }
}

function keyOf(rival: RivalName, figure: Figure): string {
  return `${rival}\n${figure.variant}\n${figure.figure}`;
}

function judge(spread: Spread, bound: Bound | undefined): Verdict {
  if (bound === undefined) {
    return 'no target';
  }
  const value = spread[bound.judgedBy ?? 'median'];
  return relations[bound.relation](value, bound.value) ? 'met' : 'missed';
}

const relations: Readonly<Record<Bound['relation'], (value: number, bound: number) => boolean>> = {
  '≤': (value, bound) => value <= bound,
  '<': (value, bound) => value < bound,
  '≥': (value, bound) => value >= bound,
};
