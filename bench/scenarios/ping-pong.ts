import { setTimeout as sleep } from 'node:timers/promises';
import { discardPairs } from '../load/pairs.ts';
import { startPingPong } from '../load/ping-pong.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
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

const PAYLOAD_BYTES = 1024;
const VARIANT = '1 KiB';
const percentiles = [
  { figure: 'p50', fraction: 0.5 },
  { figure: 'p99', fraction: 0.99 },
] as const;

/** One pair alone sends a message to and fro: what a relay adds to the way when nothing else happens. */
export const pingPong: Scenario = {
  name: 'pingpong',
  run: async (context) => {
    const ledger = new Ledger('pingpong');
    const starts = participants(context, ['ours', 'ws', 'nginx', 'uws']).map(
      (rival) => () => startRival(context, rival),
    );
    await withRunning(starts, async (running) => {
      for (let round = 0; round < context.rounds; round += 1) {
        for (const rival of inRoundOrder(running, round)) {
          context.progress(`ping-pong, round ${round + 1}, ${rival.name}`);
          const latencies = await measurePingPong(context, rival);
          for (const { figure, fraction } of percentiles) {
            ledger.add(rival.name, latencyFigure(figure), percentile(latencies, fraction) * 1000);
          }
        }
      }
    });
    return {
      measurements: ledger.measurements(),
      checks: percentiles.map(({ figure }) => checkOf(ledger, figure)),
    };
  },
};

async function measurePingPong(context: BenchContext, rival: RunningRival): Promise<number[]> {
  const pairs = await rival.open(1);
  const [pair] = pairs;
  if (pair === undefined) {
    throw new Error('no pair was opened');
  }
  try {
    const play = startPingPong(pair, PAYLOAD_BYTES);
    await sleep(context.quick ? 500 : 1000);
    play.reset();
    await sleep(context.quick ? 1000 : 3000);
    pair.client.assertOpen();
    return play.stop();
  } finally {
    discardPairs(pairs);
    await sleep(200);
  }
}

function checkOf(ledger: Ledger, figure: string): Check {
  return ledger.ratioCheck({
    figure: { variant: VARIANT, figure: `${figure}, ours ÷ ws`, unit: '' },
    of: ledger.rounds('ours', latencyFigure(figure)),
    to: ledger.rounds('ws', latencyFigure(figure)),
    bound: { relation: '≤', value: 1.05 },
  });
}

function latencyFigure(figure: string): Figure {
  return { variant: VARIANT, figure, unit: 'µs' };
}
