import { type Bound, type Figure, Ledger } from '../../measure/ledger.ts';
import { inRoundOrder } from '../../scenarios/scenario.ts';
import type { Check } from '../../results.ts';
import type { Route, RouteName } from '../world.ts';
import {
  mainRoutes,
  measure,
  type Reading,
  type TunnelBenchContext,
  type TunnelScenario,
} from './scenario.ts';

const MIB = 1024 * 1024;
const BYTES = 256 * MIB;
const QUICK_BYTES = 64 * MIB;
const THROUGHPUT_BOUND: Bound = { relation: '≥', value: 0.5 };

interface Case {
  readonly variant: string;
  readonly kind: 'download' | 'upload';
  readonly streams: number;
}

const CASES: readonly Case[] = [
  { variant: 'download, 1 stream', kind: 'download', streams: 1 },
  { variant: 'upload, 1 stream', kind: 'upload', streams: 1 },
  { variant: 'download, 8 streams', kind: 'download', streams: 8 },
  { variant: 'upload, 8 streams', kind: 'upload', streams: 8 },
];

/** Bytes as fast as they go. */
export const bulk: TunnelScenario = async (context) => {
  const ledger = new Ledger('bulk');
  const bytes = context.quick ? QUICK_BYTES : BYTES;
  for (const route of mainRoutes(context)) {
    context.progress(`bulk, warm-up, ${route.name}`);
    for (const { kind, streams } of CASES) await measure(route, { kind, streams, bytes: QUICK_BYTES });
  }
  for (let round = 0; round < context.rounds; round += 1) {
    for (const each of CASES) await measureCase(context, { each, ledger, bytes, round });
  }
  return { measurements: ledger.measurements(), checks: CASES.flatMap((each) => checksOf(each, ledger)) };
};

interface CaseRun {
  readonly each: Case;
  readonly ledger: Ledger;
  readonly bytes: number;
  readonly round: number;
}

/** All routes right after each other, because a ratio is only as good as the machine is the same for both. */
async function measureCase(
  context: TunnelBenchContext,
  { each, ledger, bytes, round }: CaseRun,
): Promise<void> {
  const { kind, streams } = each;
  for (const route of inRoundOrder(mainRoutes(context), round)) {
    const reading = await measure(route, { kind, streams, bytes });
    context.progress(`${each.variant}, round ${round + 1}, ${route.name}: ${reading.seconds.toFixed(2)} s`);
    record(ledger, { each, route, bytes }, reading);
  }
}

function record(
  ledger: Ledger,
  { each, route, bytes }: { readonly each: Case; readonly route: Route; readonly bytes: number },
  { seconds, cpu }: Reading,
): void {
  ledger.add(route.name, throughput(each), bytes / MIB / seconds);
  const gibibytes = bytes / (1024 * MIB);
  ledger.add(route.name, cpuOfAll(each), sum(Object.values(cpu)) / gibibytes);
  for (const [role, spent] of Object.entries(cpu)) {
    ledger.add(route.name, { ...cpuOfAll(each), figure: `CPU of the ${role}` }, spent / gibibytes);
  }
}

function checksOf(each: Case, ledger: Ledger): Check[] {
  const speed = (name: RouteName): readonly number[] => ledger.rounds(name, throughput(each));
  const cpu = (name: RouteName): readonly number[] => ledger.rounds(name, cpuOfAll(each));
  const { variant } = each;
  return [
    ledger.ratioCheck({
      figure: { variant, figure: 'throughput, tunnel ÷ three plain hops', unit: '' },
      of: speed('tunnel'),
      to: speed('hops'),
      bound: THROUGHPUT_BOUND,
    }),
    ledger.ratioCheck({
      figure: { variant, figure: 'CPU of all, tunnel ÷ three plain hops', unit: '' },
      of: cpu('tunnel'),
      to: cpu('hops'),
    }),
    ledger.ratioCheck({
      figure: { variant, figure: 'throughput, tunnel ÷ direct', unit: '' },
      of: speed('tunnel'),
      to: speed('direct'),
    }),
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function throughput({ variant }: Case): Figure {
  return { variant, figure: 'throughput', unit: 'MiB/s' };
}

function cpuOfAll({ variant }: Case): Figure {
  return { variant, figure: 'CPU of all', unit: 's/GiB' };
}
