import type { DatabaseSync } from 'node:sqlite';
import type { Binding } from '../binding/binding.ts';
import type {
  BindingChange,
  BindingStore,
  Registration,
  RegistrationResult,
  StoreCounts,
  Unregistration,
  UnregistrationResult,
} from '../binding/binding-store.ts';
import type { ReplayMark, ReplayVerdict } from '../binding/replay-mark.ts';
import { PushStoreError } from '../binding/store-error.ts';
import type { Environment } from '../provider/push-provider.ts';
import type { AcceptanceBook } from './acceptance-book.ts';
import type { BindingBook } from './binding-book.ts';
import type { ExclusiveUse } from './exclusive-use.ts';
import type { Durability, GroupCommit } from './group-commit.ts';
import type { MarkBook } from './mark-book.ts';

/** What a {@link SqliteBindingStore} is made of; `openSqliteBindingStore` puts it together. */
export interface SqliteBindingStoreParts {
  readonly file: string;
  readonly exclusiveUse: ExclusiveUse;
  readonly database: DatabaseSync;
  readonly marks: MarkBook;
  readonly bindings: BindingBook;
  readonly acceptances: AcceptanceBook;
  readonly commits: GroupCommit;
  /** Hears of what failed, and gives what to reject with. */
  readonly onFault: (error: unknown) => unknown;
}

/**
 * Bindings and replay marks in one SQLite file, in this thread. What is asked for in one turn of the event loop is
 * committed together and answered afterwards. An answer survives the end of the process, `kill -9` included; what
 * changes bindings also survives a power cut, which may cost the newest marks of other requests.
 *
 * Reads see what has been committed. How many requests may wait is up to the caller; each waits for one turn.
 */
export class SqliteBindingStore implements BindingStore {
  readonly #parts: SqliteBindingStoreParts;
  #isOpen = true;

  constructor(parts: SqliteBindingStoreParts) {
    this.#parts = parts;
  }

  register(registration: Registration): Promise<RegistrationResult> {
    return this.#write('power-cut', () => this.#register(registration));
  }

  unregister(unregistration: Unregistration): Promise<UnregistrationResult> {
    return this.#write('power-cut', () => this.#unregister(unregistration));
  }

  claim(mark: ReplayMark): Promise<ReplayVerdict> {
    return this.#write('crash', () => this.#claim(mark));
  }

  isMarked(mark: ReplayMark): Promise<boolean> {
    return this.#read(() => this.#parts.marks.isMarked(mark));
  }

  find(serverId: string, tokens: readonly string[]): Promise<ReadonlyMap<string, Binding>> {
    return this.#read(() => {
      const found = new Map<string, Binding>();
      for (const token of tokens) {
        const binding = this.#parts.bindings.getOf(serverId, token);
        if (binding !== undefined) found.set(token, binding);
      }
      return found;
    });
  }

  settle(changes: readonly BindingChange[]): Promise<ReadonlySet<string>> {
    const { bindings, commits, onFault } = this.#parts;
    // What is no news needs no transaction, and must not make others wait for the disk. While a change of bindings
    // waits, nobody can tell.
    if (this.#isOpen && !commits.isForDisk) {
      try {
        if (!bindings.isNews(changes)) return Promise.resolve(new Set());
      } catch (error) {
        return Promise.reject(onFault(error));
      }
    }
    return this.#write('power-cut', () => bindings.settle(changes));
  }

  lastAcceptedAtMs(environment: Environment, topic: string): Promise<number | undefined> {
    return this.#read(() => this.#parts.acceptances.last(environment, topic));
  }

  /** Also answers after {@link close}. */
  counts(): StoreCounts {
    const { bindings, marks } = this.#parts;
    return { bindingCount: bindings.count, replayMarkCount: marks.count };
  }

  /** Commits what waits, folds the write-ahead log into the file and gives up the exclusive use. Never rejects. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    const { commits, database, exclusiveUse, onFault } = this.#parts;
    commits.drain();
    this.#isOpen = false;
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    } catch (error) {
      // Nothing is lost: the next start reads the log.
      onFault(error);
    }
    exclusiveUse.release();
  }

  #register(registration: Registration): RegistrationResult {
    const { marks, bindings } = this.#parts;
    const { mark, token } = registration;
    const verdict = marks.verdict(mark);
    if (verdict.kind !== 'fresh') return this.#wasRefused(mark, verdict) ? { kind: 'token-limit' } : verdict;
    const known = bindings.get(token);
    if (!bindings.hasRoomFor(known)) {
      marks.keep(toRefused(mark));
      return { kind: 'token-limit' };
    }
    marks.keep(mark);
    bindings.bind(registration, known);
    return { kind: 'bound' };
  }

  #unregister({ mark, token }: Unregistration): UnregistrationResult {
    const { marks, bindings } = this.#parts;
    const verdict = marks.verdict(mark);
    if (verdict.kind !== 'fresh') return this.#wasRefused(mark, verdict) ? { kind: 'not-yours' } : verdict;
    const known = bindings.get(token);
    if (known !== undefined && known.serverId !== mark.serverId) {
      marks.keep(toRefused(mark));
      return { kind: 'not-yours' };
    }
    marks.keep(mark);
    if (known === undefined) return { kind: 'unknown-token' };
    bindings.remove(known);
    return { kind: 'removed' };
  }

  #wasRefused(mark: ReplayMark, verdict: ReplayVerdict): boolean {
    return verdict.kind === 'replay' && this.#parts.marks.verdict(toRefused(mark)).kind === 'repeat';
  }

  #claim(mark: ReplayMark): ReplayVerdict {
    const { marks } = this.#parts;
    const verdict = marks.verdict(mark);
    if (verdict.kind === 'fresh') marks.keep(mark);
    return verdict;
  }

  #write<T>(durability: Durability, work: () => T): Promise<T> {
    return this.#isOpen ? this.#parts.commits.write(durability, work) : Promise.reject(this.#closedError());
  }

  async #read<T>(work: () => T): Promise<T> {
    if (!this.#isOpen) throw this.#closedError();
    try {
      return work();
    } catch (error) {
      throw this.#parts.onFault(error);
    }
  }

  #closedError(): PushStoreError {
    return new PushStoreError(`the token database ${this.#parts.file} has been closed`);
  }
}

/**
 * The mark of a text that was refused on its route, where it is to be refused again: whoever has recorded it could
 * otherwise take a token with it once there is room, or once the token has changed hands.
 */
function toRefused(mark: ReplayMark): ReplayMark {
  return { ...mark, route: `${mark.route} refused` };
}
