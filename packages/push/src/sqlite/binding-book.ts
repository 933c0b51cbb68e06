import type { Clock } from '@openchambery/daemon';
import type { Binding } from '../binding/binding.ts';
import type { BindingChange, Registration } from '../binding/binding-store.ts';
import type { AcceptanceBook } from './acceptance-book.ts';
import type { BindingRows } from './binding-rows.ts';
import type { UndoLog } from './undo-log.ts';

/** What a {@link BindingBook} needs. */
export interface BindingBookOptions {
  readonly rows: BindingRows;
  readonly acceptances: AcceptanceBook;
  readonly undo: UndoLog;
  readonly clock: Clock;
  readonly maxTokens: number;
}

/** A token that comes back within that time of its removal, in ms, counts as registered later than it was before. */
const SAME_INSTANT_MS = 1000;

/**
 * A registration that is dated further ahead than that, in ms, is of a clock that was wrong. The next one is dated anew:
 * as long as it is ahead, a report that the token is dead seems older. No delivery is that long under way.
 */
const MAX_AHEAD_MS = 60_000;

/** Which token is whose. To be changed within a transaction. */
export class BindingBook {
  readonly #options: BindingBookOptions;
  #count: number;
  /** The latest registration that was removed, ms since the epoch. */
  #removedAtMs = 0;
  /** False only while no token was ever refused: then nobody need be asked, which is how it mostly is. */
  #mayHaveSuspects: boolean;

  constructor(options: BindingBookOptions) {
    this.#options = options;
    this.#count = options.rows.count();
    this.#mayHaveSuspects = options.rows.anySuspect();
  }

  get count(): number {
    return this.#count;
  }

  get(token: string): Binding | undefined {
    return this.#options.rows.get(token);
  }

  getOf(serverId: string, token: string): Binding | undefined {
    return this.#options.rows.getOf(serverId, token);
  }

  /** Whether there is room for the token; a known one always has its own. */
  hasRoomFor(known: Binding | undefined): boolean {
    return known !== undefined || this.#count < this.#options.maxTokens;
  }

  /** Binds a token; `known` is its present binding. */
  bind({ mark, token, platform, kind }: Registration, known: Binding | undefined): void {
    const { rows, clock } = this.#options;
    const now = clock.epochMs();
    // What deliveries find out about a registration must never apply to the next one.
    const registeredAtMs = Math.max(now, this.#latestAtMs(known, now) + 1);
    const binding = { token, serverId: mark.serverId, platform, kind, registeredAtMs, updatedAtMs: now };
    if (known !== undefined) {
      rows.update(binding);
      return;
    }
    rows.insert(binding);
    this.#add(1);
  }

  /** Removes a binding as long as it is still by the same registration; whether it was. */
  remove(binding: Binding): boolean {
    const isRemoved = this.#options.rows.delete(binding);
    if (!isRemoved) return false;
    this.#removedAtMs = Math.max(this.#removedAtMs, binding.registeredAtMs);
    this.#add(-1);
    return true;
  }

  /** Whether {@link settle} would change anything. It mostly would not: most pushes are accepted, as before. */
  isNews(changes: readonly BindingChange[]): boolean {
    const { rows, acceptances, clock } = this.#options;
    const now = clock.epochMs();
    return changes.some((change) => {
      if (change.kind !== 'accepted') return true;
      const { binding, environment, topic } = change;
      if (acceptances.isNews(environment, topic, now)) return true;
      return this.#mayHaveSuspects && rows.isSuspect(binding);
    });
  }

  /** Applies what deliveries have shown; gives the tokens that were removed. */
  settle(changes: readonly BindingChange[]): ReadonlySet<string> {
    const { rows, acceptances, clock } = this.#options;
    const now = clock.epochMs();
    const dropped = new Set<string>();
    for (const change of changes) {
      const { binding } = change;
      switch (change.kind) {
        case 'accepted':
          rows.acquit(binding, now);
          acceptances.note(change.environment, change.topic, now);
          break;
        case 'moved':
          rows.move(binding, change.environment, now);
          acceptances.note(change.environment, change.topic, now);
          break;
        case 'refused':
          this.#mayHaveSuspects = true;
          rows.refuse(binding, now);
          break;
        case 'drop':
          if (this.remove(binding)) dropped.add(binding.token);
          break;
      }
    }
    return dropped;
  }

  #latestAtMs(known: Binding | undefined, now: number): number {
    if (known !== undefined) return known.registeredAtMs <= now + MAX_AHEAD_MS ? known.registeredAtMs : 0;
    // Beyond that the clock was set back, and new tokens should not be dated ahead because of it.
    return this.#removedAtMs < now + SAME_INSTANT_MS ? this.#removedAtMs : 0;
  }

  #add(difference: number): void {
    this.#count += difference;
    this.#options.undo.push(() => {
      this.#count -= difference;
    });
  }
}
