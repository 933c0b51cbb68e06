// What unmasking costs with native code and without: node --conditions=@openchambery/source bench/unmask.ts
import { loadNativeUnmask, unmaskByWords, type Unmask } from '@openchambery/wire';

const SIZES = [100, 1024, 16_384, 65_536];
const ROUNDS = 7;
/** How much is unmasked in a round, in bytes. */
const ROUND_BYTES = 64 * 1024 * 1024;
/** Besides its bytes every frame costs about what so many bytes do. */
const OVERHEAD_BYTES = 300;
/** Frames start anywhere; so do ours, at offsets up to this. */
const MAX_SHIFT = 3;

const native = loadNativeUnmask();
if (native === undefined) throw new Error('bufferutil is not installed');
process.stdout.write('CPU time per frame [µs], the best round: native, by words\n');
for (const bytes of SIZES) {
  const figures = [native, unmaskByWords].map((unmask) => bestOf(unmask, bytes).toFixed(2));
  process.stdout.write(`${bytes} bytes: ${figures.join(', ')}\n`);
}

function bestOf(unmask: Unmask, bytes: number): number {
  const source = Buffer.alloc(bytes + MAX_SHIFT, 'x');
  const target = Buffer.alloc(bytes);
  const count = Math.ceil(ROUND_BYTES / (bytes + OVERHEAD_BYTES));
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) {
      unmask(source, target, { from: i & MAX_SHIFT, to: 0, length: bytes, key: i });
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}
