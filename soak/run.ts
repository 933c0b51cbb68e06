// Churns a relay for a given time, then looks whether anything was left behind: see README.md of this folder.
import { parseArgs } from 'node:util';
import type { RelaySnapshot } from '@openchambery/relay';
import { delay } from '@openchambery/testkit';
import {
  changeOfControl,
  deafness,
  type Episode,
  halfClose,
  pending,
  refusals,
  silence,
  stall,
  transfer,
} from './episodes.ts';
import { Random } from './random.ts';
import { RelayUnderSoak } from './relay-under-soak.ts';
import { type Sample, slopeOf } from './samples.ts';

const LANES = 24;
const SAMPLE_MS = 2000;
/** Memory is not judged before this part of the time: code is compiled, pools fill. */
const WARM_UP = 0.4;
/** What resident memory may grow by over the judged part, in bytes. */
const MAX_GROWTH_BYTES = 12 * 1024 * 1024;
/** How long the relay has to let go of everything once its peers are gone, in ms. */
const SETTLE_MS = 15_000;

const EPISODES: Readonly<Record<string, Episode>> = {
  transfer,
  stall,
  pending,
  changeOfControl,
  silence,
  halfClose,
  deafness,
  refusals,
};

if (process.platform !== 'linux') {
  console.log('SKIPPED: the soak reads /proc and runs on Linux only');
  process.exit(0);
}
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string' } },
});
const seconds = Number(values.seconds);
if (!Number.isFinite(seconds) || seconds < 10) {
  console.error(`--seconds: expected a number of at least 10, got "${values.seconds}"`);
  process.exit(2);
}
const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed);
const faults = await soak();
for (const fault of faults) console.error(`FAILED: ${fault}`);
console.log(faults.length === 0 ? 'soak passed' : `soak failed; again with --seed ${seed}`);
process.exit(faults.length === 0 ? 0 : 1);

async function soak(): Promise<string[]> {
  console.log(`${seconds} s, ${LANES} lanes, seed ${seed}`);
  const relay = await RelayUnderSoak.start();
  const descriptorsBefore = relay.descriptors();
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1000;
  const isOver = (): boolean => elapsed() >= seconds || faults.length > 0;

  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const random = new Random(seed + lane);
    while (!isOver()) {
      const name = random.pick(Object.keys(EPISODES));
      try {
        await EPISODES[name]?.({ url: relay.url, random });
        counts.set(name, (counts.get(name) ?? 0) + 1);
      } catch (error) {
        faults.push(`${name} in lane ${lane}: ${String(error)}`);
      }
    }
  });
  while (!isOver()) {
    await delay(SAMPLE_MS);
    const snapshot = await relay.snapshot('gc');
    samples.push({ atSeconds: elapsed(), residentBytes: relay.residentBytes() });
    if (snapshot.queuedBytes > 2 * 8_388_608) faults.push(`queued bytes reached ${snapshot.queuedBytes}`);
  }
  await Promise.all(lanes);
  faults.push(...(await findLeftovers(relay, descriptorsBefore)));
  faults.push(...judgeMemory(samples));
  report(counts, samples, await relay.snapshot());
  await relay.stop();
  return faults;
}

/** Waits until every gauge is zero and the descriptors are back, and says what is not. */
async function findLeftovers(relay: RelayUnderSoak, descriptorsBefore: number): Promise<string[]> {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const leftovers = gaugesLeft(await relay.snapshot());
    const descriptors = relay.descriptors();
    if (descriptors > descriptorsBefore + 1) {
      leftovers.push(`${descriptors} file descriptors are open, ${descriptorsBefore} were before`);
    }
    if (leftovers.length === 0 || performance.now() > giveUpAt) return leftovers;
    await delay(200);
  }
}

function gaugesLeft(snapshot: RelaySnapshot): string[] {
  const gauges: Record<string, number> = {
    ...snapshot.sockets,
    rawSockets: snapshot.rawSockets,
    refusedSockets: snapshot.refusedSockets,
    hosts: snapshot.hosts,
    connections: snapshot.connections,
    pendingClients: snapshot.pendingClients,
    queuedBytes: snapshot.queuedBytes,
    pausedSources: snapshot.pausedSources,
  };
  return Object.entries(gauges).flatMap(([name, value]) => (value === 0 ? [] : [`${name} is ${value}`]));
}

function judgeMemory(samples: readonly Sample[]): string[] {
  const judged = samples.filter(({ atSeconds }) => atSeconds >= seconds * WARM_UP);
  if (judged.length < 3) return ['too few memory samples to judge'];
  const growth = slopeOf(judged) * seconds * (1 - WARM_UP);
  if (growth <= MAX_GROWTH_BYTES) return [];
  return [`resident memory grew by ${megabytes(growth)} MiB over the last ${judged.length} samples`];
}

function report(counts: Map<string, number>, samples: readonly Sample[], snapshot: RelaySnapshot): void {
  console.log([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  console.log(`memory [MiB]: ${samples.map(({ residentBytes }) => megabytes(residentBytes)).join(' ')}`);
  console.log('totals:', JSON.stringify(snapshot.totals));
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
