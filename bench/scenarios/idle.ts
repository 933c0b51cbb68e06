import { setTimeout as sleep } from 'node:timers/promises';
import { assertPairsOpen, discardPairs } from '../load/pairs.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { rssBytes } from '../measure/process-meter.ts';
import type { RunningRival } from '../rivals/rival.ts';
import {
  type BenchContext,
  inRoundOrder,
  participants,
  type Scenario,
  startRival,
  withRunning,
} from './scenario.ts';

/** V8 gives memory back only some seconds after the work has ended. */
const SETTLE_MS = 12_000;

/** Pairs that do nothing: what a socket costs in memory. Every round is a fresh process. */
export const idle: Scenario = {
  name: 'idle',
  run: async (context) => {
    const ledger = new Ledger('idle');
    const pairCount = context.quick ? 600 : 3000;
    const perSocket: Figure = { variant: `${pairCount} pairs`, figure: 'RSS growth per socket', unit: 'KiB' };
    const total: Figure = { variant: `${pairCount} pairs`, figure: 'RSS in total', unit: 'MiB' };
    const rivals = participants(context, ['ours', 'ws', 'nginx', 'uws']);
    // A fresh process is its own repetition: three rounds say as much here as more would.
    for (let round = 0; round < Math.min(context.rounds, 3); round += 1) {
      for (const rival of inRoundOrder(rivals, round)) {
        context.progress(`idle, round ${round + 1}, ${rival.name}`);
        await withRunning([() => startRival(context, rival)], async ([running]) => {
          if (running !== undefined) {
            const { growth, after } = await measureIdle(context, running, pairCount);
            ledger.add(rival.name, perSocket, growth / (2 * pairCount) / 1024);
            ledger.add(rival.name, total, after / 1024 ** 2);
          }
        });
      }
    }
    const check = ledger.ratioCheck({
      figure: { ...perSocket, figure: 'RSS growth per socket, ours ÷ ws', unit: '' },
      of: ledger.rounds('ours', perSocket),
      to: ledger.rounds('ws', perSocket),
      bound: { relation: '≤', value: 0.75 },
    });
    return { measurements: ledger.measurements(), checks: [check] };
  },
};

async function measureIdle(
  context: BenchContext,
  rival: RunningRival,
  pairCount: number,
): Promise<{ growth: number; after: number }> {
  // A few pairs first, so that loading and compiling the relay's own code is not counted as cost of a socket.
  discardPairs(await rival.open(50));
  await sleep(1000);
  const before = rssBytes(rival.pid);
  const pairs = await rival.open(pairCount);
  try {
    await sleep(context.quick ? 2000 : SETTLE_MS);
    assertPairsOpen(pairs);
    const after = rssBytes(rival.pid);
    return { growth: after - before, after };
  } finally {
    discardPairs(pairs);
  }
}
