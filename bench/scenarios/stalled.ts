import { setTimeout as sleep } from 'node:timers/promises';
import { assertPairsOpen, discardPairs, type Pair } from '../load/pairs.ts';
import { startInteractive } from '../load/ping-pong.ts';
import { startStream } from '../load/stream.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { rssBytes } from '../measure/process-meter.ts';
import { percentile } from '../measure/statistics.ts';
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

const STALLED_PAIRS = 30;
const INTERACTIVE_PAIRS = 20;
const FRAME_BYTES = 65_536;
const interactive = { payloadBytes: 500, periodMs: 50 };
/** Default of `MAX_GLOBAL_QUEUED_BYTES`: the most that all pairs together may hold. */
const GLOBAL_BOUND_MIB = 32;
const VARIANT = '30 stalled, 20 interactive';

const without: Figure = { variant: VARIANT, figure: 'interactive p99 without the stalled', unit: 'ms' };
const beside: Figure = { variant: VARIANT, figure: 'interactive p99 beside the stalled', unit: 'ms' };
const growth: Figure = { variant: VARIANT, figure: 'RSS growth', unit: 'MiB' };

/**
 * Receivers that stop reading while their senders go on: others must not feel it, and memory must stay in its bounds.
 * Every round is a fresh process, because memory once taken hides the next growth.
 */
export const stalled: Scenario = {
  name: 'stalled',
  run: async (context) => {
    const ledger = new Ledger('stalled');
    const rivals = participants(context, ['ours', 'ws']);
    for (let round = 0; round < context.rounds; round += 1) {
      for (const rival of inRoundOrder(rivals, round)) {
        context.progress(`stalled, round ${round + 1}, ${rival.name}`);
        await withRunning([() => startRival(context, rival)], async ([running]) => {
          if (running !== undefined) {
            await measureStalled(context, running, ledger);
          }
        });
      }
    }
    return { measurements: ledger.measurements(), checks: checksOf(ledger) };
  },
};

async function measureStalled(context: BenchContext, rival: RunningRival, ledger: Ledger): Promise<void> {
  const quiet = await rival.open(INTERACTIVE_PAIRS);
  const pairs = await rival.open(STALLED_PAIRS);
  // Traffic before the first reading: memory that any traffic takes is not what the stalled cost.
  await interactiveP99(quiet, 1500);
  const windowMs = context.quick ? 3000 : 10_000;
  const p99Without = await interactiveP99(quiet, windowMs);
  const before = rssBytes(rival.pid);
  const stops = pairs.map(stall);
  // The kernel's buffers take megabytes per pair before the relay feels the stall.
  await sleep(2000);
  const p99Beside = await interactiveP99(quiet, windowMs);
  const after = rssBytes(rival.pid);
  for (const stop of stops) {
    stop();
  }
  assertPairsOpen([...quiet, ...pairs]);
  ledger.add(rival.name, without, p99Without);
  ledger.add(rival.name, beside, p99Beside);
  ledger.add(rival.name, growth, (after - before) / 1024 ** 2);
  discardPairs([...quiet, ...pairs]);
}

/** One side stops reading for good while the other sends all it can; sides take turns. */
function stall({ client, host }: Pair, index: number): () => void {
  const [from, to] = index % 2 === 0 ? [host, client] : [client, host];
  to.socket.pause();
  return startStream({ from, to, payloadBytes: FRAME_BYTES });
}

async function interactiveP99(pairs: readonly Pair[], milliseconds: number): Promise<number> {
  const play = startInteractive(pairs, interactive);
  await sleep(300);
  play.reset();
  await sleep(milliseconds);
  const latencies = play.stop();
  // Answers that are still on their way belong to this measurement, not to the next.
  await sleep(200);
  return percentile(latencies, 0.99);
}

function checksOf(ledger: Ledger): Check[] {
  return [
    ledger.ratioCheck({
      figure: { variant: VARIANT, figure: 'interactive p99 ÷ without the stalled', unit: '' },
      of: ledger.rounds('ours', beside),
      to: ledger.rounds('ours', without),
      bound: { relation: '≤', value: 1.1 },
    }),
    ledger.boundCheck({
      figure: growth,
      values: ledger.rounds('ours', growth),
      bound: { relation: '≤', value: GLOBAL_BOUND_MIB, judgedBy: 'max' },
    }),
  ];
}
