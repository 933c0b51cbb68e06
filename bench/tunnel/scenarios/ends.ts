import { type Bound, type Figure, Ledger } from '../../measure/ledger.ts';
import { percentile } from '../../measure/statistics.ts';
import type { Check } from '../../results.ts';
import { inRoundOrder } from '../../scenarios/scenario.ts';
import type { Order } from '../orders.ts';
import type { RouteName } from '../world.ts';
import { mainRoutes, measure, type TunnelScenario } from './scenario.ts';

/**
 * Half of the window that bytes may wait for company: ends that are held back would show in every round. Single answers
 * are also late because of other work, which no bound on the largest of all rounds tells apart: the median of the rounds
 * decides, and the largest stands beside it.
 */
const NOT_HELD: Bound = { relation: '<', value: 75 };

/** Below, at and above what a batch holds (24 KiB) and a frame carries (65526 bytes), and one that takes many. */
const SIZES = [1, 1000, 24_575, 24_576, 24_577, 65_526, 65_527, 65_536, 300_001, 1_048_577];

interface Case {
  readonly variant: string;
  readonly order: (count: number) => Order;
}

const CASES: readonly Case[] = [
  { variant: 'drops of 1 KiB, end with the last', order: (count) => ({ kind: 'drops', count }) },
  {
    variant: 'answers of 1 B to 1 MiB, one after the other',
    order: (count) => ({ kind: 'answers', sizes: SIZES, count }),
  },
];

/** Whether the end of an answer is ever held back: all answers follow each other faster than a batching window passes. */
export const ends: TunnelScenario = async (context) => {
  const ledger = new Ledger('ends');
  const count = context.quick ? 5 : 20;
  for (let round = 0; round < context.rounds; round += 1) {
    for (const { variant, order } of CASES) {
      for (const route of inRoundOrder(mainRoutes(context), round)) {
        const { timesMs } = await measure(route, order(count));
        const longest = Math.max(...timesMs);
        context.progress(`${variant}, round ${round + 1}, ${route.name}: at most ${longest.toFixed(1)} ms`);
        ledger.add(route.name, figureOf(variant, 'median'), percentile(timesMs, 0.5));
        ledger.add(route.name, figureOf(variant, 'longest'), longest);
      }
    }
  }
  return { measurements: ledger.measurements(), checks: CASES.map((each) => checkOf(each, ledger)) };
};

function checkOf({ variant }: Case, ledger: Ledger): Check {
  const name: RouteName = 'tunnel';
  return ledger.boundCheck({
    figure: figureOf(variant, 'longest'),
    values: ledger.rounds(name, figureOf(variant, 'longest')),
    bound: NOT_HELD,
  });
}

function figureOf(variant: string, which: 'median' | 'longest'): Figure {
  return { variant, figure: `time to the end, ${which}`, unit: 'ms' };
}
