import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, Ledger } from '../../measure/ledger.ts';
import { rssBytes } from '../../measure/process-meter.ts';
import { type ClosedLoop, withClosedLoop } from '../load/closed-loop.ts';
import { sends } from '../load/signed-requests.ts';
import { startPushRelay } from '../rivals/target.ts';
import { type PushScenario, withTargets } from './scenario.ts';

const TOKENS = 100;
const SAMPLE_MS = 250;
const MIB = 1024 * 1024;

interface Sample {
  readonly pushes: number;
  readonly rss: number;
}

/** Resident memory while pushes go on and on, 100 tokens at a time. Its second half should be flat. */
export const memory: PushScenario = async (context) => {
  const total = context.million ? 1_000_000 : context.quick ? 20_000 : 100_000;
  const variant = `${total.toLocaleString('en')} pushes`;
  const ledger = new Ledger('memory');
  const figure = (name: string, unit: string): Figure => ({ variant, figure: name, unit });
  const growth = figure('growth over the second half ÷ RSS', '%');
  await withTargets([() => startPushRelay(context, 'memory')], async ([target]) => {
    if (target === undefined) {
      throw new Error('the push relay did not start');
    }
    ledger.add('push', figure('RSS at the start', 'MiB'), rssBytes(target.pid) / MIB);
    const loopOptions = { port: target.port, concurrency: 1, source: sends(context.fleet, TOKENS) };
    const samples = await withClosedLoop(loopOptions, (loop) =>
      watch(loop, { pid: target.pid, total, progress: context.progress }),
    );
    const half = samples.filter(({ pushes }) => pushes >= total / 2);
    const slope = slopeOf(half);
    const middle = half[0]?.rss ?? 0;
    ledger.add('push', figure('RSS in the middle', 'MiB'), middle / MIB);
    ledger.add('push', figure('RSS at the end', 'MiB'), (half.at(-1)?.rss ?? 0) / MIB);
    ledger.add('push', figure('highest RSS', 'MiB'), Math.max(...samples.map(({ rss }) => rss)) / MIB);
    ledger.add('push', figure('slope over the second half', 'MiB per million pushes'), (slope * 1e6) / MIB);
    ledger.add('push', growth, (100 * slope * (total / 2)) / middle);
  });
  const check = ledger.boundCheck({
    figure: growth,
    values: ledger.rounds('push', growth),
    // What a short run shows is how the heap finds its size.
    ...(context.million ? { bound: { relation: '≤', value: 5 } as const } : { note: 'see --million' }),
  });
  return { measurements: ledger.measurements(), checks: [check] };
};

interface Watch {
  readonly pid: number;
  readonly total: number;
  readonly progress: (line: string) => void;
}

async function watch(loop: ClosedLoop, { pid, total, progress }: Watch): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  let told = 0;
  while (loop.isRunning && loop.pushCount < total) {
    await sleep(SAMPLE_MS);
    const sample = { pushes: loop.pushCount, rss: rssBytes(pid) };
    samples.push(sample);
    if (sample.pushes >= told) {
      progress(`memory: ${sample.pushes} pushes, ${Math.round(sample.rss / MIB)} MiB`);
      told += total / 10;
    }
  }
  return samples;
}

/** Bytes per push, by least squares. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const pushes = mean(samples.map((sample) => sample.pushes));
  const rss = mean(samples.map((sample) => sample.rss));
  const covariance = mean(samples.map((sample) => (sample.pushes - pushes) * (sample.rss - rss)));
  const variance = mean(samples.map((sample) => (sample.pushes - pushes) ** 2));
  return variance === 0 ? 0 : covariance / variance;
}
