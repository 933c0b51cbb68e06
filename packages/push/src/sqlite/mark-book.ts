import type { ReplayMark, ReplayVerdict } from '../binding/replay-mark.ts';
import type { Eviction, ReplayTable } from '../replay/replay-table.ts';
import type { MarkRows } from './mark-rows.ts';
import type { UndoLog } from './undo-log.ts';

/** What a {@link MarkBook} needs. */
export interface MarkBookOptions {
  /** Empty. */
  readonly table: ReplayTable;
  readonly rows: MarkRows;
  readonly undo: UndoLog;
}

/** Floors that expired are deleted one by one, at most so many in a transaction: it holds up the thread. */
const MAX_FLOORS_PURGED = 4096;

/** Which texts have been used: decided by the table in memory, written down by rows. */
export class MarkBook {
  readonly #table: ReplayTable;
  readonly #rows: MarkRows;
  readonly #undo: UndoLog;
  /** Up to where rows that have expired are gone for certain. */
  #purgedSeq = 0;

  constructor({ table, rows, undo }: MarkBookOptions) {
    this.#table = table;
    this.#rows = rows;
    this.#undo = undo;
  }

  get count(): number {
    return this.#table.size;
  }

  /** Reads what is kept, within the first transaction. */
  load(): void {
    const rows = this.#rows;
    const { expiredAtMs, evictions, droppedFloors } = this.#table.restore(rows.marks(), rows.floors());
    rows.removeExpired(expiredAtMs);
    for (const floor of droppedFloors) rows.removeFloor(floor.serverId);
    for (const eviction of evictions) this.#writeEviction(eviction);
  }

  verdict(mark: ReplayMark): ReplayVerdict {
    return this.#table.verdict(mark);
  }

  isMarked(mark: ReplayMark): boolean {
    return this.#table.isMarked(mark);
  }

  /** Keeps a mark whose verdict is `fresh`; to be called within a transaction. */
  keep(mark: ReplayMark): void {
    const acceptance = this.#table.accept(mark);
    this.#undo.push(() => this.#table.undo(acceptance));
    this.#rows.add(acceptance.kept, mark.textHash);
    if (acceptance.eviction !== undefined) this.#writeEviction(acceptance.eviction);
  }

  /** Deletes what has expired; to be called within a transaction. */
  purge(): void {
    this.#purgeMarks();
    this.#purgeFloors();
  }

  #purgeMarks(): void {
    const purgedSeq = this.#purgedSeq;
    const { expiredSeq } = this.#table;
    if (expiredSeq === purgedSeq) return;
    this.#rows.removeUpTo(expiredSeq);
    this.#purgedSeq = expiredSeq;
    this.#undo.push(() => (this.#purgedSeq = purgedSeq));
  }

  #purgeFloors(): void {
    const serverIds = this.#table.takeExpiredFloors(MAX_FLOORS_PURGED);
    if (serverIds.length === 0) return;
    // First of all: what follows may fail.
    this.#undo.push(() => this.#table.giveBackExpiredFloors(serverIds));
    for (const serverId of serverIds) this.#rows.removeFloor(serverId);
  }

  #writeEviction({ evicted, floor: { raised, dropped } }: Eviction): void {
    this.#rows.remove(evicted.seq);
    this.#rows.setFloor(raised);
    if (dropped !== undefined) this.#rows.removeFloor(dropped.serverId);
  }
}
