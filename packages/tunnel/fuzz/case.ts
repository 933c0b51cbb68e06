import { mutate } from './mutate.ts';
import { PAYLOAD_TARGETS } from './payload-targets.ts';
import { SeededRandom } from './seeded-random.ts';
import { FORMAT_TARGETS, type FuzzTarget } from './targets.ts';

const TARGETS: readonly FuzzTarget[] = [...FORMAT_TARGETS, ...PAYLOAD_TARGETS];

/** Gives every target one mutation of its valid examples; tells what went wrong. */
export function runCase(seed: number): readonly string[] {
  const random = new SeededRandom(seed);
  const faults: string[] = [];
  for (const target of TARGETS) {
    const bytes = mutate(target.seeds, random);
    const fault = judge(target, bytes);
    if (fault !== undefined) faults.push(`${target.name}: ${fault}: ${Buffer.from(bytes).toString('hex')}`);
  }
  return faults;
}

function judge(target: FuzzTarget, bytes: Uint8Array): string | undefined {
  try {
    return target.check(bytes);
  } catch (error) {
    return `threw ${String(error)}`;
  }
}
