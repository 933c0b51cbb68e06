import type { WireLimits } from '../src/index.ts';
import { makeLibraryScript, makeRawScript } from './plan-messages.ts';
import type { Ending, Scale } from './plan-messages.ts';
import type { CasePlan, LanePlan, Pause, SidePlan } from './plan.ts';
import { Random } from './random.ts';

/** One case in so many goes over real sockets. */
const TCP_EVERY = 4;

const ENDINGS: readonly Ending[] = [
  'none',
  'none',
  'none',
  'close',
  'close',
  'fault',
  'flip',
  'fin',
  'destroy',
];
/** Those that end a connection whatever the other side does. */
const SURE_ENDINGS: readonly Ending[] = ['close', 'fin', 'destroy'];

/** Everything that happens in the case of this seed. */
export function makePlan(seed: number): CasePlan {
  // Neighbouring seeds must not give neighbouring numbers.
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ (seed >>> 16)).fork();
  const medium = seed % TCP_EVERY === 0 ? 'tcp' : 'memory';
  const limits = makeLimits(random);
  const attachAfterTurns = random.chance(0.25) ? random.integer(0, 60) : undefined;
  const first = makeSide(random, limits, { medium, isSureToEnd: medium === 'tcp' });
  return {
    seed,
    medium,
    limits,
    budgetBytes: random.pick([1, 10_000, 200_000, 33_554_432, 33_554_432]),
    hoardedBytes: random.chance(0.1) ? random.pick([1000, 150_000, 33_554_432]) : 0,
    unmask: random.pick(['native', 'words']),
    attachAfterTurns,
    closeAfterTurns: random.chance(0.06) ? random.integer(1, 300) : undefined,
    probeEveryTurns: random.chance(0.3) ? random.integer(10, 80) : undefined,
    sides: [first, makeSide(random, limits, { medium, isSureToEnd: false })],
  };
}

function makeLimits(random: Random): WireLimits {
  const highWaterBytes = random.pick([1, 1000, 16_384, 50_000, 1_048_576]);
  return {
    maxMessageBytes: random.pick([125, 1000, 10_000, 65_535, 65_536, 70_000, 131_072, 131_072]),
    highWaterBytes,
    lowWaterBytes: random.pick([Math.floor(highWaterBytes / 2), 0]),
    quantumBytes: random.pick([200, 1000, 16_384, 65_536, 262_144]),
    stallMs: 60_000,
    closeDeadlineMs: 5000,
  };
}

function makeSide(
  random: Random,
  limits: WireLimits,
  { medium, isSureToEnd }: { medium: 'tcp' | 'memory'; isSureToEnd: boolean },
): SidePlan {
  const kind = random.pick(['ws', 'raw', 'raw'] as const);
  const totalBytes = random.pick([2000, 40_000, 100_000, 250_000, 600_000]);
  const scale: Scale = { maxMessageBytes: limits.maxMessageBytes, totalBytes };
  let ending = random.pick(isSureToEnd ? SURE_ENDINGS : ENDINGS);
  if (kind === 'ws' && (ending === 'fin' || ending === 'flip')) ending = isSureToEnd ? 'close' : 'none';
  const steps = (kind === 'ws' ? makeLibraryScript : makeRawScript)(random, scale, ending);
  // Flipped bits may have swallowed whatever would end the connection, and time does not pass for real sockets.
  if (medium === 'tcp' && ending === 'flip') steps.push({ kind: 'fin' });
  const mayNeedTime = medium === 'memory';
  return {
    kind,
    steps,
    pauses: makePauses(random, mayNeedTime),
    // Who drops a real connection before it is taken in may never be seen.
    waitsForAnswer: random.chance(0.5) || (medium === 'tcp' && ending === 'destroy'),
    ignoresClose: mayNeedTime && kind === 'raw' && random.chance(0.04),
    up: makeLane(random),
    down: makeLane(random),
  };
}

function makePauses(random: Random, mayStopForEver: boolean): Pause[] {
  if (random.chance(0.5)) return [];
  const pauses = Array.from({ length: random.integer(1, 3) }, () => ({
    atBytes: random.integer(0, random.pick([200, 5000, 50_000])),
    turns: random.integer(1, 60),
  })).sort((a, b) => a.atBytes - b.atBytes);
  if (!mayStopForEver || !random.chance(0.2)) return pauses;
  return [{ atBytes: random.integer(0, random.pick([200, 20_000])), turns: Number.POSITIVE_INFINITY }];
}

function makeLane(random: Random): LanePlan {
  return {
    capacityBytes: random.pick([500, 4000, 20_000, 65_536, 1_048_576]),
    maxChunkBytes: random.pick([700, 1460, 16_384, 65_536]),
  };
}
