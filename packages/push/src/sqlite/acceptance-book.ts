import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Environment } from '../provider/push-provider.ts';
import type { UndoLog } from './undo-log.ts';

/** As exactly as it is known, in ms; it spares a write per push. */
const PRECISION_MS = 60_000;

/** When each environment last accepted a push for a topic. Topics come from the configuration, so they are few. */
export class AcceptanceBook {
  readonly #undo: UndoLog;
  readonly #write: StatementSync;
  readonly #acceptedAtMs = new Map<string, number>();

  constructor(database: DatabaseSync, undo: UndoLog) {
    this.#undo = undo;
    this.#write = database.prepare(
      `INSERT INTO acceptances (environment, topic, accepted_at) VALUES (?, ?, ?)
        ON CONFLICT (environment, topic) DO UPDATE SET accepted_at = excluded.accepted_at`,
    );
    const rows = database.prepare('SELECT environment, topic, accepted_at FROM acceptances').iterate();
    for (const { environment, topic, accepted_at: acceptedAt } of rows) {
      this.#acceptedAtMs.set(toKey(String(environment), String(topic)), Number(acceptedAt));
    }
  }

  /** ms since the epoch, to the minute; `undefined` when it never has. */
  last(environment: Environment, topic: string): number | undefined {
    return this.#acceptedAtMs.get(toKey(environment, topic));
  }

  /** Whether {@link note} would change anything. */
  isNews(environment: Environment, topic: string, now: number): boolean {
    const before = this.last(environment, topic);
    // Either way: the clock may have been set back.
    return before === undefined || Math.abs(now - before) >= PRECISION_MS;
  }

  /** To be called within a transaction. */
  note(environment: Environment, topic: string, now: number): void {
    if (!this.isNews(environment, topic, now)) return;
    const key = toKey(environment, topic);
    const before = this.#acceptedAtMs.get(key);
    this.#write.run(environment, topic, now);
    this.#acceptedAtMs.set(key, now);
    this.#undo.push(() => {
      if (before === undefined) this.#acceptedAtMs.delete(key);
      else this.#acceptedAtMs.set(key, before);
    });
  }
}

function toKey(environment: string, topic: string): string {
  return `${environment} ${topic}`;
}
