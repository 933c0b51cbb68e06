import { setTimeout as sleep } from 'node:timers/promises';
import { assertPairsOpen, discardPairs, type Pair } from '../load/pairs.ts';
import { startInteractive } from '../load/ping-pong.ts';
import { startStream } from '../load/stream.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { percentile } from '../measure/statistics.ts';
import { measureWindow } from '../measure/window.ts';
import type { Check } from '../results.ts';
import type { RunningRival } from '../rivals/rival.ts';
import {
  type BenchContext,
  inRoundOrder,
  participants,
  type Scenario,
  startRival,
  withRunning,
} from './scenario.ts';

const FLOOD_BYTES = 65_536;
const INTERACTIVE_PAIRS = 20;
const interactive = { payloadBytes: 500, periodMs: 50 };
const VARIANT = '1 flooding, 20 interactive';

const alone: Figure = { variant: VARIANT, figure: 'flood alone', unit: 'MB/s' };
const together: Figure = { variant: VARIANT, figure: 'flood beside the interactive', unit: 'MB/s' };
const p99: Figure = { variant: VARIANT, figure: 'interactive p99', unit: 'ms' };
const p50: Figure = { variant: VARIANT, figure: 'interactive p50', unit: 'ms' };

/** One pair floods while others play ping-pong: neither may starve the other. */
export const flood: Scenario = {
  name: 'flood',
  run: async (context) => {
    const ledger = new Ledger('flood');
    const starts = participants(context, ['ours', 'ws', 'nginx', 'uws']).map(
      (rival) => () => startRival(context, rival),
    );
    await withRunning(starts, async (running) => {
      for (let round = 0; round < context.rounds; round += 1) {
        for (const rival of inRoundOrder(running, round)) {
          context.progress(`flood, round ${round + 1}, ${rival.name}`);
          await measureFlood(context, rival, ledger);
        }
      }
    });
    return { measurements: ledger.measurements(), checks: checksOf(ledger) };
  },
};

async function measureFlood(context: BenchContext, rival: RunningRival, ledger: Ledger): Promise<void> {
  const pairs = await rival.open(1 + INTERACTIVE_PAIRS);
  const [flooding, ...quiet] = pairs;
  if (flooding === undefined) {
    throw new Error('no pair was opened');
  }
  try {
    const stopFlood = startStream({
      from: flooding.host,
      to: flooding.client,
      payloadBytes: FLOOD_BYTES,
      maxUnderWayBytes: rival.maxUnderWayBytes,
    });
    await sleep(500);
    ledger.add(rival.name, alone, await floodRate(context, rival, flooding));
    const play = startInteractive(quiet, interactive);
    await sleep(300);
    play.reset();
    ledger.add(rival.name, together, await floodRate(context, rival, flooding));
    const latencies = play.stop();
    stopFlood();
    assertPairsOpen(pairs);
    ledger.add(rival.name, p99, percentile(latencies, 0.99));
    ledger.add(rival.name, p50, percentile(latencies, 0.5));
  } finally {
    discardPairs(pairs);
    await sleep(300);
  }
}

/** Megabytes per second that the flooded client gets. */
async function floodRate(context: BenchContext, rival: RunningRival, { client }: Pair): Promise<number> {
  const window = await measureWindow(rival.pid, context.quick ? 1500 : 4000, () => client.counter.messages);
  return (window.count * FLOOD_BYTES) / 1e6 / window.seconds;
}

function checksOf(ledger: Ledger): Check[] {
  return [
    ledger.boundCheck({
      figure: p99,
      values: ledger.rounds('ours', p99),
      bound: { relation: '≤', value: 10 },
    }),
    ledger.ratioCheck({
      figure: { variant: VARIANT, figure: 'flood rate ÷ alone', unit: '' },
      of: ledger.rounds('ours', together),
      to: ledger.rounds('ours', alone),
      bound: { relation: '≥', value: 0.8 },
    }),
  ];
}
