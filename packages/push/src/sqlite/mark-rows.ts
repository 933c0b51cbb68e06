import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type StoredMark, toMarkKey } from '../replay/kept-mark.ts';
import type { StoredFloor } from '../replay/replay-floors.ts';

const SQL = {
  add: `INSERT INTO replay_marks (seq, server_id, text_hash, route, ts, ip, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  remove: 'DELETE FROM replay_marks WHERE seq = ?',
  removeUpTo: 'DELETE FROM replay_marks WHERE seq <= ?',
  setFloor: `INSERT INTO replay_floors (server_id, ts, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (server_id) DO UPDATE SET ts = excluded.ts, expires_at = excluded.expires_at`,
  removeFloor: 'DELETE FROM replay_floors WHERE server_id = ?',
  removeExpiredMarks: 'DELETE FROM replay_marks WHERE expires_at <= ?',
  removeExpiredFloors: 'DELETE FROM replay_floors WHERE expires_at <= ?',
  marks: 'SELECT seq, server_id, text_hash, route, ts, ip, expires_at FROM replay_marks ORDER BY seq',
  floors: 'SELECT server_id, ts, expires_at FROM replay_floors ORDER BY expires_at',
} as const;

/** The tables of replay marks and floors: SQL and nothing else. */
export class MarkRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.#statements = {
      add: prepare(SQL.add),
      remove: prepare(SQL.remove),
      removeUpTo: prepare(SQL.removeUpTo),
      setFloor: prepare(SQL.setFloor),
      removeFloor: prepare(SQL.removeFloor),
      removeExpiredMarks: prepare(SQL.removeExpiredMarks),
      removeExpiredFloors: prepare(SQL.removeExpiredFloors),
      marks: prepare(SQL.marks),
      floors: prepare(SQL.floors),
    };
  }

  add({ seq, serverId, route, ts, ip, expiresAtMs }: StoredMark, textHash: Buffer): void {
    this.#statements.add.run(seq, serverId, textHash, route, ts, ip, expiresAtMs);
  }

  remove(seq: number): void {
    this.#statements.remove.run(seq);
  }

  removeUpTo(seq: number): void {
    this.#statements.removeUpTo.run(seq);
  }

  setFloor({ serverId, ts, expiresAtMs }: StoredFloor): void {
    this.#statements.setFloor.run(serverId, ts, expiresAtMs);
  }

  removeFloor(serverId: string): void {
    this.#statements.removeFloor.run(serverId);
  }

  /** Reads every mark: for the start only. */
  removeExpired(now: number): void {
    this.#statements.removeExpiredMarks.run(now);
    this.#statements.removeExpiredFloors.run(now);
  }

  /** All marks, by `seq`. */
  *marks(): Generator<StoredMark> {
    // One text for each route, not for each mark.
    const routes = new Map<string, string>();
    for (const row of this.#statements.marks.iterate()) {
      const serverId = String(row.server_id);
      const route = String(row.route);
      if (!routes.has(route)) routes.set(route, route);
      yield {
        seq: Number(row.seq),
        key: toMarkKey({ serverId, textHash: Buffer.from(row.text_hash as Uint8Array) }),
        serverId,
        route: routes.get(route) ?? route,
        ts: Number(row.ts),
        ip: String(row.ip),
        expiresAtMs: Number(row.expires_at),
      };
    }
  }

  *floors(): Generator<StoredFloor> {
    for (const row of this.#statements.floors.iterate()) {
      yield { serverId: String(row.server_id), ts: Number(row.ts), expiresAtMs: Number(row.expires_at) };
    }
  }
}
