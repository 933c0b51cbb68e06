import { setTimeout as sleep } from 'node:timers/promises';
import { assertPairsOpen, discardPairs, verifyPair } from '../load/pairs.ts';
import { startStream } from '../load/stream.ts';
import { type Bound, type Figure, Ledger } from '../measure/ledger.ts';
import { measureWindow } from '../measure/window.ts';
import type { Check, RivalName } from '../results.ts';
import type { RunningRival } from '../rivals/rival.ts';
import {
  type BenchContext,
  inRoundOrder,
  participants,
  type Scenario,
  startRival,
  withRunning,
} from './scenario.ts';

const PAIR_COUNT = 8;

interface Size {
  readonly label: string;
  readonly bytes: number;
  /** Bounds of ours against each rival, from the benchmark's table. */
  readonly bounds: Partial<Record<RivalName, Bound | undefined>>;
}

const sizes: readonly Size[] = [
  {
    label: '100 B',
    bytes: 100,
    bounds: { ws: { relation: '≤', value: 0.1 }, uws: { relation: '<', value: 1 } },
  },
  {
    label: '1 KiB',
    bytes: 1024,
    bounds: {
      ws: { relation: '≤', value: 0.25 },
      nginx: { relation: '≤', value: 2.2 },
      'nginx-64k': undefined,
      uws: { relation: '<', value: 1 },
    },
  },
  {
    label: '16 KiB',
    bytes: 16_384,
    bounds: {
      ws: { relation: '≤', value: 0.75 },
      nginx: { relation: '≤', value: 2.2 },
      'nginx-64k': undefined,
    },
  },
  {
    label: '64 KiB',
    bytes: 65_536,
    bounds: {
      ws: { relation: '≤', value: 0.75 },
      nginx: { relation: '≤', value: 2.2 },
      'nginx-64k': undefined,
    },
  },
];

/** Eight pairs stream as fast as backpressure lets them, every second one the other way. */
export const burst: Scenario = {
  name: 'burst',
  run: async (context) => {
    const ledger = new Ledger('burst');
    const starts = participants(context, ['ours', 'ws', 'nginx', 'nginx-64k', 'uws']).map(
      (rival) => () => startRival(context, rival),
    );
    await withRunning(starts, async (running) => {
      for (const size of sizes) {
        for (let round = 0; round < context.rounds; round += 1) {
          for (const rival of inRoundOrder(running, round)) {
            context.progress(`burst ${size.label}, round ${round + 1}, ${rival.name}`);
            await measureBurst(context, rival, { size, ledger });
          }
        }
      }
    });
    return { measurements: ledger.measurements(), checks: sizes.flatMap((size) => checksOf(ledger, size)) };
  },
};

async function measureBurst(
  context: BenchContext,
  rival: RunningRival,
  into: { readonly size: Size; readonly ledger: Ledger },
): Promise<void> {
  const { size, ledger } = into;
  const pairs = await rival.open(PAIR_COUNT);
  try {
    for (const pair of pairs) {
      await verifyPair(pair);
    }
    const streams = pairs.map(({ client, host }, index) => ({
      // The generator reads fastest on sockets it connected itself: through nginx the client is always the receiver.
      ...(index % 2 === 0 || rival.name.startsWith('nginx')
        ? { from: host, to: client }
        : { from: client, to: host }),
      payloadBytes: size.bytes,
      maxUnderWayBytes: rival.maxUnderWayBytes,
    }));
    const stops = streams.map(startStream);
    await sleep(context.quick ? 300 : 700);
    const delivered = (): number => streams.reduce((total, { to }) => total + to.counter.messages, 0);
    const reading = await measureWindow(rival.pid, context.quick ? 600 : 2000, delivered);
    for (const stop of stops) {
      stop();
    }
    assertPairsOpen(pairs);
    ledger.add(rival.name, cpuFigure(size), reading.cpuMicroseconds / reading.count);
    ledger.add(
      rival.name,
      { variant: size.label, figure: 'rate', unit: 'MB/s' },
      megabytesPerSecond(reading, size),
    );
    ledger.add(rival.name, { variant: size.label, figure: 'relay busy', unit: 'core' }, reading.relayBusy);
    ledger.add(
      rival.name,
      { variant: size.label, figure: 'generator busy', unit: 'core' },
      reading.generatorBusy,
    );
  } finally {
    discardPairs(pairs);
    await sleep(200);
  }
}

function checksOf(ledger: Ledger, size: Size): Check[] {
  return Object.entries(size.bounds).map(([name, bound]) => {
    const rival = name as RivalName;
    return ledger.ratioCheck({
      figure: { variant: size.label, figure: `CPU per frame, ours ÷ ${rival}`, unit: '' },
      of: ledger.rounds('ours', cpuFigure(size)),
      to: ledger.rounds(rival, cpuFigure(size)),
      ...(bound === undefined ? {} : { bound }),
    });
  });
}

function cpuFigure(size: Size): Figure {
  return { variant: size.label, figure: 'CPU per frame', unit: 'µs' };
}

function megabytesPerSecond(
  reading: { readonly count: number; readonly seconds: number },
  size: Size,
): number {
  return (reading.count * size.bytes) / 1e6 / reading.seconds;
}
