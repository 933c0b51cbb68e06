import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '@openchambery/daemon';
import { FakeClock } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import type { Registration, Unregistration } from '../../src/binding/binding-store.ts';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import {
  openSqliteBindingStore,
  type SqliteBindingStoreLimits,
  type SqliteBindingStoreOptions,
} from '../../src/sqlite/open-sqlite-binding-store.ts';
import type { SqliteBindingStore } from '../../src/sqlite/sqlite-binding-store.ts';
import { sampleMark } from '../replay/sample-mark.ts';

export const LIMITS: SqliteBindingStoreLimits = {
  maxTokens: 1000,
  maxReplayEntries: 1000,
  replayMs: 600_000,
};

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'push-store-'));
  onTestFinished(() => {
    // Whatever rights the test has taken away.
    if (existsSync(folder)) chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A server id, 43 characters, the same for the same name. */
export function serverId(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

/** A token of 64 digits, the same for the same name. */
export function token(name: string | number): string {
  return createHash('sha256').update(`token ${name}`).digest('hex');
}

/** One database file, a clock, and the store that has it open. */
export class StoreRig {
  readonly clock: FakeClock = new FakeClock();
  readonly path: string;
  readonly limits: SqliteBindingStoreLimits;
  readonly #logger: SqliteBindingStoreOptions['logger'];
  #store: SqliteBindingStore | undefined;
  #textCount = 0;

  constructor(
    options: Partial<Pick<SqliteBindingStoreOptions, 'path' | 'logger'>> & {
      limits?: Partial<SqliteBindingStoreLimits>;
    } = {},
  ) {
    this.path = options.path ?? join(temporaryFolder(), 'push.sqlite');
    this.limits = { ...LIMITS, ...options.limits };
    this.#logger = options.logger ?? silentLogger;
    onTestFinished(async () => this.#store?.close());
  }

  /** Open from the first use on. */
  get store(): SqliteBindingStore {
    this.#store ??= this.open();
    return this.#store;
  }

  open(limits: Partial<SqliteBindingStoreLimits> = {}): SqliteBindingStore {
    this.#store = openSqliteBindingStore({
      path: this.path,
      limits: { ...this.limits, ...limits },
      clock: this.clock,
      logger: this.#logger,
    });
    return this.#store;
  }

  async reopen(limits: Partial<SqliteBindingStoreLimits> = {}): Promise<SqliteBindingStore> {
    await this.#store?.close();
    return this.open(limits);
  }

  /** A text never used before, unless one is given. */
  mark(server = 'S', given: Partial<ReplayMark> & { readonly text?: string } = {}): ReplayMark {
    this.#textCount++;
    const { text = `text ${this.#textCount}`, ...rest } = given;
    const { textHash } = sampleMark({ text });
    return {
      serverId: serverId(server),
      textHash,
      route: '/r',
      ts: this.clock.epochMs(),
      ip: '192.0.2.1',
      ...rest,
    };
  }

  registration(name: string | number, server = 'S', given: Partial<Registration> = {}): Registration {
    return { mark: this.mark(server), token: token(name), platform: 'ios', kind: 'device', ...given };
  }

  unregistration(name: string | number, server = 'S', mark: ReplayMark = this.mark(server)): Unregistration {
    return { mark, token: token(name) };
  }

  /** Asks the file itself, as an admin's tool would. */
  query(sql: string): Record<string, unknown>[] {
    const database = new DatabaseSync(this.path, { timeout: 1000 });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
}
