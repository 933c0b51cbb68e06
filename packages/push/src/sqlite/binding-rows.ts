import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Binding, BindingKind, Platform } from '../binding/binding.ts';
import type { Environment } from '../provider/push-provider.ts';

const COLUMNS = `token, server_id, platform, kind, environment, registered_at, updated_at,
  refusal_count, first_refusal_at`;

/** The very binding that was read: that server's, by that registration. */
const SAME = 'token = ? AND server_id = ? AND registered_at = ?';

const SQL = {
  count: 'SELECT count(*) AS count FROM bindings',
  get: `SELECT ${COLUMNS} FROM bindings WHERE token = ?`,
  getOf: `SELECT ${COLUMNS} FROM bindings WHERE token = ? AND server_id = ?`,
  insert: `INSERT INTO bindings (server_id, platform, kind, registered_at, updated_at, token)
    VALUES (?, ?, ?, ?, ?, ?)`,
  // What took the token before is a fact about the token, whoever registers it; what refused it is void.
  update: `UPDATE bindings SET server_id = ?, platform = ?, kind = ?, registered_at = ?, updated_at = ?,
    refusal_count = 0, first_refusal_at = NULL WHERE token = ?`,
  anySuspect: 'SELECT 1 FROM bindings WHERE refusal_count > 0 LIMIT 1',
  isSuspect: `SELECT 1 FROM bindings WHERE ${SAME} AND refusal_count > 0`,
  acquit: `UPDATE bindings SET updated_at = ?, refusal_count = 0, first_refusal_at = NULL
    WHERE ${SAME} AND refusal_count > 0`,
  move: `UPDATE bindings SET environment = ?, updated_at = ?, refusal_count = 0, first_refusal_at = NULL
    WHERE ${SAME} AND (environment IS NOT ? OR refusal_count > 0)`,
  // A first one that lies ahead is of a clock that was wrong.
  refuse: `UPDATE bindings SET refusal_count = refusal_count + 1, updated_at = ?1,
    first_refusal_at = min(coalesce(first_refusal_at, ?1), ?1)
    WHERE token = ?2 AND server_id = ?3 AND registered_at = ?4`,
  delete: `DELETE FROM bindings WHERE ${SAME}`,
} as const;

/** What identifies one registration of a token. */
export type BindingIdentity = Pick<Binding, 'token' | 'serverId' | 'registeredAtMs'>;

/** What a registration writes. */
export type RegisteredBinding = BindingIdentity &
  Pick<Binding, 'platform' | 'kind'> & { readonly updatedAtMs: number };

/** The table of bindings: SQL and nothing else. */
export class BindingRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.#statements = {
      count: prepare(SQL.count),
      get: prepare(SQL.get),
      getOf: prepare(SQL.getOf),
      insert: prepare(SQL.insert),
      update: prepare(SQL.update),
      anySuspect: prepare(SQL.anySuspect),
      isSuspect: prepare(SQL.isSuspect),
      acquit: prepare(SQL.acquit),
      move: prepare(SQL.move),
      refuse: prepare(SQL.refuse),
      delete: prepare(SQL.delete),
    };
  }

  /** Reads every page of the table: for the start only. */
  count(): number {
    return Number(this.#statements.count.get()?.count);
  }

  get(token: string): Binding | undefined {
    return toBinding(this.#statements.get.get(token));
  }

  getOf(serverId: string, token: string): Binding | undefined {
    return toBinding(this.#statements.getOf.get(token, serverId));
  }

  insert(binding: RegisteredBinding): void {
    this.#statements.insert.run(...toColumns(binding));
  }

  update(binding: RegisteredBinding): void {
    this.#statements.update.run(...toColumns(binding));
  }

  /** Whether anything speaks against any token. Reads every page of the table: for the start only. */
  anySuspect(): boolean {
    return this.#statements.anySuspect.get() !== undefined;
  }

  /** Whether anything speaks against the token. */
  isSuspect({ token, serverId, registeredAtMs }: BindingIdentity): boolean {
    return this.#statements.isSuspect.get(token, serverId, registeredAtMs) !== undefined;
  }

  /** What spoke against the token is void. */
  acquit({ token, serverId, registeredAtMs }: BindingIdentity, now: number): void {
    this.#statements.acquit.run(now, token, serverId, registeredAtMs);
  }

  move(identity: BindingIdentity, environment: Environment, now: number): void {
    const { token, serverId, registeredAtMs } = identity;
    this.#statements.move.run(environment, now, token, serverId, registeredAtMs, environment);
  }

  refuse({ token, serverId, registeredAtMs }: BindingIdentity, now: number): void {
    this.#statements.refuse.run(now, token, serverId, registeredAtMs);
  }

  /** Whether there was such a binding. */
  delete({ token, serverId, registeredAtMs }: BindingIdentity): boolean {
    return Number(this.#statements.delete.run(token, serverId, registeredAtMs).changes) > 0;
  }
}

type Columns = [string, string, string | null, number, number, string];

function toColumns(binding: RegisteredBinding): Columns {
  const { token, serverId, platform, kind, registeredAtMs, updatedAtMs } = binding;
  return [serverId, platform, kind ?? null, registeredAtMs, updatedAtMs, token];
}

/** The table is STRICT and its columns are checked, so that their types are known. */
function toBinding(row: Record<string, SQLOutputValue> | undefined): Binding | undefined {
  if (row === undefined) return undefined;
  const firstAtMs = row.first_refusal_at;
  return {
    token: row.token as string,
    serverId: row.server_id as string,
    platform: row.platform as Platform,
    kind: (row.kind ?? undefined) as BindingKind | undefined,
    environment: (row.environment ?? undefined) as Environment | undefined,
    registeredAtMs: row.registered_at as number,
    updatedAtMs: row.updated_at as number,
    refusals: typeof firstAtMs === 'number' ? { count: row.refusal_count as number, firstAtMs } : undefined,
  };
}
