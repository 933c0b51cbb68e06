import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { maskedFrame } from '../load/frames.ts';
import { assertPairsOpen, discardPairs } from '../load/pairs.ts';
import { everyPeriod } from '../load/ping-pong.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { measureWindow } from '../measure/window.ts';
import type { RunningRival } from '../rivals/rival.ts';
import {
  type BenchContext,
  inRoundOrder,
  participants,
  type Scenario,
  startRival,
  withRunning,
} from './scenario.ts';

const PERIOD_MS = 150;
const PAYLOAD_BYTES = 500;

/** Many quiet tunnels: each Host sends one small answer per period, so that every frame is a system call of its own. */
export const sparse: Scenario = {
  name: 'sparse',
  run: async (context) => {
    const ledger = new Ledger('sparse');
    const pairCount = context.quick ? 300 : 1000;
    const cpu: Figure = { variant: `${pairCount} pairs`, figure: 'CPU per frame', unit: 'µs' };
    const starts = participants(context, ['ours', 'ws', 'nginx', 'uws']).map(
      (rival) => () => startRival(context, rival),
    );
    await withRunning(starts, async (running) => {
      for (let round = 0; round < context.rounds; round += 1) {
        for (const rival of inRoundOrder(running, round)) {
          context.progress(`sparse, round ${round + 1}, ${rival.name}`);
          ledger.add(rival.name, cpu, await measureSparse(context, rival, pairCount));
        }
      }
    });
    const check = ledger.ratioCheck({
      figure: { ...cpu, figure: 'CPU per frame, ours ÷ ws', unit: '' },
      of: ledger.rounds('ours', cpu),
      to: ledger.rounds('ws', cpu),
      bound: { relation: '≤', value: 0.75 },
    });
    return { measurements: ledger.measurements(), checks: [check] };
  },
};

async function measureSparse(context: BenchContext, rival: RunningRival, pairCount: number): Promise<number> {
  const pairs = await rival.open(pairCount);
  const frame = maskedFrame(randomBytes(PAYLOAD_BYTES));
  const stop = everyPeriod(pairs.length, PERIOD_MS, (index) => pairs[index]?.host.socket.write(frame));
  try {
    await sleep(context.quick ? 700 : 1500);
    const delivered = (): number => pairs.reduce((total, { client }) => total + client.counter.messages, 0);
    const reading = await measureWindow(rival.pid, context.quick ? 1500 : 4000, delivered);
    assertPairsOpen(pairs);
    return reading.cpuMicroseconds / reading.count;
  } finally {
    stop();
    discardPairs(pairs);
    await sleep(500);
  }
}
