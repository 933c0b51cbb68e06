import { setTimeout as sleep } from 'node:timers/promises';

/** What a small request is answered with. */
export const SMALL_BYTES = 1024;
export const smallAnswer: Buffer = Buffer.alloc(SMALL_BYTES, 'openchamber ');

const DROPS = 10;
/** What all drops of an answer have together. */
export const DROPS_BYTES: number = DROPS * SMALL_BYTES;
const DROP_GAP_MS = 10;

/**
 * An answer in drops of 1 KiB, each too early for a batching window to be over. The last one begins with the time on the
 * clock that all processes share, in ns, and goes out together with the end.
 */
export async function* drops(): AsyncGenerator<Buffer> {
  for (let drop = 1; drop < DROPS; drop += 1) {
    yield smallAnswer;
    await sleep(DROP_GAP_MS);
  }
  const last = Buffer.alloc(SMALL_BYTES, ' ');
  last.write(String(process.hrtime.bigint()));
  yield last;
}

/** How long ago the last drop was written, in ms. */
export function sinceLastDrop(answer: Buffer): number {
  const writtenAt = BigInt(answer.subarray(-SMALL_BYTES).toString().trim());
  return Number(process.hrtime.bigint() - writtenAt) / 1e6;
}
