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

/** Which texts have been used: decided by the table in memory, written down by rows. */
export class MarkBook {
  readonly #table: ReplayTable;
  readonly #rows: MarkRows;
  readonly #undo: UndoLog;
  /** Up to where rows that have expired are gone for certain. */
  #purged = { seq: 0, floorMs: 0 };

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
    const { evictions, droppedFloors } = this.#table.restore(this.#rows.marks(), this.#rows.floors());
    for (const floor of droppedFloors) this.#rows.removeFloor(floor.serverId);
    for (const eviction of evictions) this.#writeEviction(eviction);
    this.purge();
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

  /** Deletes what has expired; to be called within a transaction. It is harmless to do it again. */
  purge(): void {
    const { seq, floorMs } = this.#purged;
    const { expiredSeq, expiredFloorMs } = this.#table;
    if (expiredSeq === seq && expiredFloorMs === floorMs) return;
    if (expiredSeq !== seq) this.#rows.removeUpTo(expiredSeq);
    if (expiredFloorMs !== floorMs) this.#rows.removeFloorsUpTo(expiredFloorMs);
    this.#purged = { seq: expiredSeq, floorMs: expiredFloorMs };
    this.#undo.push(() => {
      this.#purged = { seq, floorMs };
    });
  }

  #writeEviction({ evicted, floor: { raised, dropped } }: Eviction): void {
    this.#rows.remove(evicted.seq);
    this.#rows.setFloor(raised);
    if (dropped !== undefined) this.#rows.removeFloor(dropped.serverId);
  }
}
