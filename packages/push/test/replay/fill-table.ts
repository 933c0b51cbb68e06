import { createHash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { systemClock } from '@openchambery/daemon';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import { toMarkKey } from '../../src/replay/kept-mark.ts';
import { ReplayTable } from '../../src/replay/replay-table.ts';

/** What a table is to be filled with. */
export interface Filling {
  readonly maxEntries: number;
  /** Texts, each signed and sent; more than fit in have somebody pay. */
  readonly textCount: number;
  /** Rows of an earlier process that have expired. */
  readonly expiredRowCount: number;
  readonly marksPerServer: number;
  readonly marksPerIp: number;
}

function toMark(index: number, { marksPerServer, marksPerIp }: Filling): ReplayMark {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return {
    serverId: hash(`server ${Math.floor(index / marksPerServer)}`).toString('base64url'),
    textHash: hash(`text ${index}`),
    route: '/v1/push/send',
    ts: systemClock.epochMs(),
    ip: `2001:db8:0:${Math.floor(index / marksPerIp).toString(16)}::/64`,
  };
}

function* rows(filling: Filling) {
  for (let i = 0; i < filling.expiredRowCount; i++) {
    const mark = toMark(i, filling);
    yield { seq: i + 1, key: toMarkKey(mark), ...mark, expiresAtMs: 1 };
  }
}

const filling = workerData as Filling;
const { maxEntries, textCount } = filling;
const table = new ReplayTable({ clock: systemClock, replayMs: 2_000_000_000, maxEntries });
table.restore(rows(filling), []);
for (let i = 0; i < textCount; i++) {
  const mark = toMark(i, filling);
  if (table.verdict(mark).kind === 'fresh') table.accept(mark);
}
if (table.size !== Math.min(maxEntries, textCount)) throw new Error(`the table holds ${table.size}`);
