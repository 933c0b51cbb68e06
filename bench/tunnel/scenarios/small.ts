import { type Bound, type Figure, Ledger } from '../../measure/ledger.ts';
import { percentile } from '../../measure/statistics.ts';
import type { Check } from '../../results.ts';
import { inRoundOrder } from '../../scenarios/scenario.ts';
import { rivalTitles } from '../../table.ts';
import type { RouteName } from '../world.ts';
import { measure, type TunnelBenchContext, type TunnelScenario } from './scenario.ts';

const SEQUENTIAL = 'one after the other';
const CONCURRENCY = 16;
const CONCURRENT = `${CONCURRENCY} at a time`;
const P50_BOUND: Bound = { relation: '≤', value: 1.5 };
const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
type PercentileName = keyof typeof PERCENTILES;

const rate: Figure = { variant: CONCURRENT, figure: 'requests per second', unit: '1/s' };

/** Requests whose answers have 1 KiB. */
export const small: TunnelScenario = async (context) => {
  const ledger = new Ledger('small');
  const count = context.quick ? 500 : 1500;
  for (const route of context.routes) {
    context.progress(`small, warm-up, ${route.name}`);
    await measure(route, { kind: 'small', count: 3000, concurrency: 1 });
    await measure(route, { kind: 'small', count: 6000, concurrency: CONCURRENCY });
  }
  for (let round = 0; round < context.rounds; round += 1) {
    await measureSequential(context, { ledger, count, round });
    await measureConcurrent(context, { ledger, count: 2 * count, round });
  }
  return { measurements: ledger.measurements(), checks: checksOf(ledger) };
};

interface Turn {
  readonly ledger: Ledger;
  readonly count: number;
  readonly round: number;
}

async function measureSequential(
  { routes, progress }: TunnelBenchContext,
  { ledger, count, round }: Turn,
): Promise<void> {
  for (const route of inRoundOrder(routes, round)) {
    const { timesMs, cpu } = await measure(route, { kind: 'small', count, concurrency: 1 });
    progress(
      `${SEQUENTIAL}, round ${round + 1}, ${route.name}: p50 ${percentile(timesMs, 0.5).toFixed(3)} ms`,
    );
    for (const name of Object.keys(PERCENTILES) as PercentileName[]) {
      ledger.add(route.name, latency(name), percentile(timesMs, PERCENTILES[name]));
    }
    for (const [role, spent] of Object.entries(cpu)) {
      const figure = { variant: SEQUENTIAL, figure: `CPU of the ${role} per request`, unit: 'µs' };
      ledger.add(route.name, figure, (spent * 1e6) / count);
    }
  }
}

async function measureConcurrent(
  { routes, progress }: TunnelBenchContext,
  { ledger, count, round }: Turn,
): Promise<void> {
  for (const route of inRoundOrder(routes, round)) {
    const { timesMs, seconds } = await measure(route, { kind: 'small', count, concurrency: CONCURRENCY });
    progress(`${CONCURRENT}, round ${round + 1}, ${route.name}: ${(timesMs.length / seconds).toFixed(0)}/s`);
    ledger.add(route.name, rate, timesMs.length / seconds);
  }
}

/** Which routes are compared. Only the first pair has a target; in the others both ends do the same work. */
const PAIRS: readonly { readonly of: RouteName; readonly to: RouteName }[] = [
  { of: 'tunnel', to: 'hops' },
  { of: 'tunnel', to: 'hops-http' },
  { of: 'tunnel', to: 'direct' },
  { of: 'tunnel-sockets', to: 'hops' },
];

function checksOf(ledger: Ledger): Check[] {
  return PAIRS.flatMap(({ of, to }, index) => {
    const words = `${rivalTitles[of]} ÷ ${rivalTitles[to]}`;
    const percentiles = (['p50', 'p99'] as const).map((which) =>
      ledger.ratioCheck({
        figure: { variant: SEQUENTIAL, figure: `${which}, ${words}`, unit: '' },
        of: ledger.rounds(of, latency(which)),
        to: ledger.rounds(to, latency(which)),
        ...(which === 'p50' && index === 0 ? { bound: P50_BOUND } : {}),
      }),
    );
    const rates = ledger.ratioCheck({
      figure: { variant: CONCURRENT, figure: `requests per second, ${words}`, unit: '' },
      of: ledger.rounds(of, rate),
      to: ledger.rounds(to, rate),
    });
    return [...percentiles, rates];
  });
}

function latency(name: PercentileName): Figure {
  return { variant: SEQUENTIAL, figure: name, unit: 'ms' };
}
