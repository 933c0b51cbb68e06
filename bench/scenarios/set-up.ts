import { setTimeout as sleep } from 'node:timers/promises';
import { createHostKey } from '../load/host-key.ts';
import { discardPairs, type Pair } from '../load/pairs.ts';
import { RelayHost } from '../load/relay-host.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { cpuNs } from '../measure/process-meter.ts';
import type { RunningRival } from '../rivals/rival.ts';
import { inRoundOrder, participants, type Scenario, startRival, withRunning } from './scenario.ts';

const LANES = 8;
const repeated: Figure = { variant: 'repeated Host keys', figure: 'CPU per pair', unit: 'ms' };
const fresh: Figure = { variant: 'new Host keys', figure: 'CPU per pair', unit: 'ms' };

/**
 * Pairs opened with real signatures. Repeated keys: client and host-data of a connected Host (one signature).
 * New keys: every pair brings a Host never seen before with its control connection (two signatures).
 */
export const setUp: Scenario = {
  name: 'setup',
  run: async (context) => {
    const ledger = new Ledger('setup');
    const pairCount = context.quick ? 120 : 400;
    const starts = participants(context, ['ours', 'ws']).map((rival) => () => startRival(context, rival));
    await withRunning(starts, async (running) => {
      const hosts = new Map<RunningRival, RelayHost[]>();
      for (const rival of running) {
        hosts.set(rival, await connectHosts(rival));
      }
      // Round -1 warms the code up and is not counted.
      for (let round = -1; round < context.rounds; round += 1) {
        for (const rival of inRoundOrder(running, round)) {
          context.progress(`set-up, round ${round + 1}, ${rival.name}`);
          const onRepeated = await measureRepeated(rival, hosts.get(rival) ?? [], pairCount);
          const onFresh = await measureFresh(rival, pairCount);
          if (round >= 0) {
            ledger.add(rival.name, repeated, onRepeated);
            ledger.add(rival.name, fresh, onFresh);
          }
        }
      }
    });
    const check = ledger.boundCheck({
      figure: { ...repeated, figure: 'CPU per pair, ours' },
      values: ledger.rounds('ours', repeated),
      bound: { relation: '≤', value: 0.5 },
    });
    return { measurements: ledger.measurements(), checks: [check] };
  },
};

async function connectHosts(rival: RunningRival): Promise<RelayHost[]> {
  const hosts = Array.from({ length: LANES }, () => new RelayHost(rival.port));
  for (const host of hosts) {
    await host.connect();
  }
  return hosts;
}

async function measureRepeated(
  rival: RunningRival,
  hosts: readonly RelayHost[],
  count: number,
): Promise<number> {
  return cpuPerPair(rival, async () => {
    const opened = await Promise.all(hosts.map((host) => host.openPairs(count / LANES)));
    return opened.flat();
  });
}

async function measureFresh(rival: RunningRival, count: number): Promise<number> {
  const hosts = Array.from({ length: count }, () => new RelayHost(rival.port, createHostKey()));
  const waiting = hosts.values();
  const lane = async (): Promise<Pair[]> => {
    const pairs: Pair[] = [];
    // The lanes share one iterator: each takes the next Host when it is free.
    for (const host of waiting) {
      await host.connect();
      pairs.push(await host.openPair());
    }
    return pairs;
  };
  try {
    return await cpuPerPair(rival, async () => {
      const opened = await Promise.all(Array.from({ length: LANES }, lane));
      return opened.flat();
    });
  } finally {
    for (const host of hosts) {
      host.discard();
    }
    await sleep(300);
  }
}

/** CPU time of the relay in milliseconds per pair opened; closing them afterwards is not part of it. */
async function cpuPerPair(rival: RunningRival, open: () => Promise<Pair[]>): Promise<number> {
  const before = cpuNs(rival.pid);
  const pairs = await open();
  const used = cpuNs(rival.pid) - before;
  discardPairs(pairs);
  await sleep(300);
  return used / 1e6 / pairs.length;
}
