import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { Filling } from './fill-table.ts';

const ENTRIES = 60_000;
/** What one entry may cost, in bytes; docs/decisions/0010 says so. */
const BYTES_PER_ENTRY = 1300;
/** Of the program itself and for what is garbage, in MB. */
const REST_MB = 24;

async function fill(filling: Partial<Filling>): Promise<number> {
  const workerData = { maxEntries: ENTRIES, textCount: ENTRIES, expiredRowCount: 0, ...filling };
  const worker = new Worker(new URL('fill-table.ts', import.meta.url), {
    workerData: { marksPerServer: 1, marksPerIp: 1, ...workerData },
    execArgv: ['--conditions=@openchambery/source'],
    resourceLimits: {
      maxOldGenerationSizeMb: Math.ceil((ENTRIES * BYTES_PER_ENTRY) / 1e6) + REST_MB,
      maxYoungGenerationSizeMb: 16,
    },
  });
  const [code] = (await once(worker, 'exit')) as [number];
  return code;
}

it.each<[string, Partial<Filling>]>([
  ['one mark for each IP and server', {}],
  ['two marks for each', { marksPerServer: 2, marksPerIp: 2 }],
  ['two servers behind each IP', { marksPerIp: 2 }],
  ['two marks for each server behind one IP', { marksPerServer: 2, marksPerIp: 1e9 }],
  ['as many floors, after as many evictions', { textCount: 2 * ENTRIES }],
  ['more rows that have expired than would fit in', { textCount: 1, expiredRowCount: 3 * ENTRIES }],
])('a full table has the memory that it is said to need: %s', { timeout: 60_000 }, async (_, filling) => {
  expect(await fill(filling)).toBe(0);
});
