import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isStoreWide } from './sqlite-fault.ts';
import type { UndoLog } from './undo-log.ts';

/**
 * What a commit survives before its requests are answered. Both survive the end of the process, `kill -9` included;
 * only `power-cut` waits for the disk. <https://sqlite.org/pragma.html#pragma_synchronous>
 */
export type Durability = 'power-cut' | 'crash';

/** One request that waits for its transaction. */
interface Write {
  readonly durability: Durability;
  /** Does the work and gives what to call when it has been committed. */
  readonly perform: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** What {@link GroupCommit} needs. */
export interface GroupCommitOptions {
  readonly database: DatabaseSync;
  /** Everything that work does in memory, until it is committed. */
  readonly undo: UndoLog;
  /** Runs at the end of each transaction. */
  readonly beforeCommit: () => void;
  /** Hears of what failed, and gives what to reject with. */
  readonly onFault: (error: unknown) => unknown;
}

/** Most requests in one transaction: it holds up the thread. */
const MAX_BATCH = 256;

/**
 * Commits what is asked for in one turn of the event loop as one transaction, and answers afterwards: waiting for the
 * disk once instead of once a request. Work that fails by itself is rolled back by itself; when the store fails,
 * all of the transaction is, on disk and in memory, and nothing of it is acknowledged.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #statements: Readonly<
    Record<'begin' | 'commit' | 'savepoint' | 'rollbackTo' | 'release', StatementSync>
  >;
  #waiting: Write[] = [];
  /** How many of them are to survive a power cut. */
  #forDiskCount = 0;
  #turn: NodeJS.Immediate | undefined;
  #durability: Durability | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    const { database } = options;
    this.#statements = {
      // Takes the write lock at once: a transaction that has read cannot always become one that writes.
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      savepoint: database.prepare('SAVEPOINT one'),
      rollbackTo: database.prepare('ROLLBACK TO one'),
      release: database.prepare('RELEASE one'),
    };
  }

  /** Whether something waits that is to survive a power cut. */
  get isForDisk(): boolean {
    return this.#forDiskCount > 0;
  }

  /** Does the work in the next transaction; resolves with what it returned once that is committed. */
  write<T>(durability: Durability, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const perform = (): (() => void) => {
        const value = work();
        return () => resolve(value);
      };
      if (durability === 'power-cut') this.#forDiskCount++;
      this.#waiting.push({ durability, perform, reject });
      this.#turn ??= setImmediate(() => this.#commitNext());
    });
  }

  /** Commits everything that waits, now. */
  drain(): void {
    while (this.#waiting.length > 0) this.#commitNext();
    clearImmediate(this.#turn);
    this.#turn = undefined;
  }

  #commitNext(): void {
    clearImmediate(this.#turn);
    const batch = this.#waiting.splice(0, MAX_BATCH);
    const forDiskCount = batch.filter(({ durability }) => durability === 'power-cut').length;
    this.#forDiskCount -= forDiskCount;
    this.#turn = this.#waiting.length > 0 ? setImmediate(() => this.#commitNext()) : undefined;
    const { undo, beforeCommit, onFault } = this.#options;
    const answers: (() => void)[] = [];
    try {
      this.#begin(forDiskCount > 0 ? 'power-cut' : 'crash');
      for (const write of batch) answers.push(batch.length === 1 ? write.perform() : this.#attempt(write));
      beforeCommit();
      this.#statements.commit.run();
    } catch (error) {
      this.#rollBack();
      const reason = onFault(error);
      for (const write of batch) write.reject(reason);
      return;
    }
    undo.clear();
    for (const answer of answers) answer();
  }

  #begin(durability: Durability): void {
    const { database } = this.#options;
    if (database.isTransaction) database.exec('ROLLBACK');
    if (durability !== this.#durability) {
      database.exec(`PRAGMA synchronous = ${durability === 'power-cut' ? 'FULL' : 'NORMAL'}`);
      this.#durability = durability;
    }
    this.#statements.begin.run();
  }

  /** Does one piece of work among others, so that its failure is its own. Throws when it is not. */
  #attempt(write: Write): () => void {
    const { database, undo, onFault } = this.#options;
    const { savepoint, rollbackTo, release } = this.#statements;
    const undoLength = undo.length;
    savepoint.run();
    try {
      const answer = write.perform();
      release.run();
      return answer;
    } catch (error) {
      // SQLite may have rolled everything back itself. <https://sqlite.org/lang_transaction.html>
      if (isStoreWide(error) || !database.isTransaction) throw error;
      rollbackTo.run();
      release.run();
      undo.rollBackTo(undoLength);
      const reason = onFault(error);
      return () => write.reject(reason);
    }
  }

  #rollBack(): void {
    const { database, undo, onFault } = this.#options;
    undo.rollBackTo(0);
    try {
      if (database.isTransaction) database.exec('ROLLBACK');
    } catch (error) {
      // The next transaction tries again before it begins.
      onFault(error);
    }
  }
}
