import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Clock } from '@openchambery/daemon';
import type { Binding } from '../../src/binding/binding.ts';
import type {
  BindingChange,
  Registration,
  RegistrationResult,
  Unregistration,
  UnregistrationResult,
} from '../../src/binding/binding-store.ts';
import type { ReplayMark, ReplayVerdict } from '../../src/binding/replay-mark.ts';
import type { SqliteBindingStoreLimits } from '../../src/sqlite/open-sqlite-binding-store.ts';
import { NaiveReplayTable } from '../replay/naive-replay-table.ts';

/** Which registration of a token it is, whatever date that was given. */
interface NaiveBinding extends Binding {
  readonly registration: number;
}

/** What a store has to do, in memory and without regard to cost. Its time is given. */
export class NaiveStore {
  now = 0;
  readonly replay: NaiveReplayTable;
  readonly #maxTokens: number;
  readonly #bindings = new Map<string, NaiveBinding>();
  /** Registrations by token and the date that the store gave them. */
  readonly #seen = new Map<string, number>();
  #registrationCount = 0;
  readonly #acceptedAtMs = new Map<string, number>();

  constructor(clock: Clock, { maxTokens, maxReplayEntries, replayMs }: SqliteBindingStoreLimits) {
    this.#maxTokens = maxTokens;
    this.replay = new NaiveReplayTable(clock, replayMs, maxReplayEntries);
  }

  get counts(): { bindingCount: number; replayMarkCount: number } {
    return { bindingCount: this.#bindings.size, replayMarkCount: this.replay.marks.length };
  }

  register({ mark, token, platform, kind }: Registration): RegistrationResult {
    const verdict = this.replay.verdict(mark);
    if (this.#isRefused(mark)) return { kind: 'token-limit' };
    if (verdict.kind !== 'fresh') return verdict;
    const known = this.#bindings.get(token);
    if (known === undefined && this.#bindings.size >= this.#maxTokens) {
      this.#refuse(mark);
      return { kind: 'token-limit' };
    }
    this.replay.accept(mark);
    const { serverId } = mark;
    const environment = known?.environment;
    const updatedAtMs = this.now;
    const registeredAtMs = Math.max(this.now, (known?.registeredAtMs ?? 0) + 1);
    const refusals = undefined;
    const registration = this.#registrationCount++;
    const dates = { registeredAtMs, updatedAtMs, registration };
    this.#bindings.set(token, { token, serverId, platform, kind, environment, refusals, ...dates });
    return { kind: 'bound' };
  }

  unregister({ mark, token }: Unregistration): UnregistrationResult {
    const verdict = this.replay.verdict(mark);
    if (this.#isRefused(mark)) return { kind: 'not-yours' };
    if (verdict.kind !== 'fresh') return verdict;
    const known = this.#bindings.get(token);
    if (known !== undefined && known.serverId !== mark.serverId) {
      this.#refuse(mark);
      return { kind: 'not-yours' };
    }
    this.replay.accept(mark);
    return { kind: this.#bindings.delete(token) ? 'removed' : 'unknown-token' };
  }

  claim(mark: ReplayMark): ReplayVerdict {
    const verdict = this.replay.verdict(mark);
    if (verdict.kind === 'fresh') this.replay.accept(mark);
    return verdict;
  }

  /** Compares a server's bindings; their exact dates are up to the store, within a second. */
  expectFound(serverId: string, found: ReadonlyMap<string, Binding>): void {
    const own = [...this.#bindings.values()].filter((binding) => binding.serverId === serverId);
    deepEqual(new Set(found.keys()), new Set(own.map(({ token }) => token)));
    for (const { registration, ...binding } of own) {
      const registeredAtMs = found.get(binding.token)?.registeredAtMs ?? 0;
      deepEqual(found.get(binding.token), { ...binding, registeredAtMs });
      ok(registeredAtMs >= binding.registeredAtMs);
      ok(registeredAtMs < binding.registeredAtMs + 1000);
      const key = toKey(binding.token, registeredAtMs);
      // No two registrations of a token have the same date.
      equal(this.#seen.get(key) ?? registration, registration);
      this.#seen.set(key, registration);
      this.#bindings.set(binding.token, { ...binding, registeredAtMs, registration });
    }
  }

  /** After a restart a date may be given again: of those who knew it, nobody is left. */
  forgetDates(): void {
    this.#seen.clear();
  }

  settle(changes: readonly BindingChange[]): ReadonlySet<string> {
    const dropped = new Set<string>();
    for (const change of changes) {
      const { token, registeredAtMs } = change.binding;
      if (change.kind === 'accepted' || change.kind === 'moved')
        this.#accept(`${change.environment} ${change.topic}`);
      const now = this.#bindings.get(token);
      if (now === undefined || now.registration !== this.#seen.get(toKey(token, registeredAtMs))) continue;
      if (change.kind === 'drop') {
        this.#bindings.delete(token);
        dropped.add(token);
      } else if (change.kind === 'refused') {
        const { count, firstAtMs } = now.refusals ?? { count: 0, firstAtMs: this.now };
        this.#bindings.set(token, {
          ...now,
          updatedAtMs: this.now,
          refusals: { count: count + 1, firstAtMs },
        });
      } else {
        const environment = change.kind === 'moved' ? change.environment : now.environment;
        if (now.environment === environment && now.refusals === undefined) continue;
        this.#bindings.set(token, { ...now, environment, updatedAtMs: this.now, refusals: undefined });
      }
    }
    return dropped;
  }

  lastAcceptedAtMs(environment: string, topic: string): number | undefined {
    return this.#acceptedAtMs.get(`${environment} ${topic}`);
  }

  /** It is kept as if another route had had it. */
  #refuse(mark: ReplayMark): void {
    this.replay.accept({ ...mark, route: `refused ${mark.route}` });
  }

  #isRefused({ serverId, route, textHash }: ReplayMark): boolean {
    return this.replay.marks.some(
      ({ mark }) =>
        mark.serverId === serverId && mark.textHash.equals(textHash) && mark.route === `refused ${route}`,
    );
  }

  #accept(key: string): void {
    const before = this.#acceptedAtMs.get(key);
    if (before === undefined || this.now - before >= 60_000) this.#acceptedAtMs.set(key, this.now);
  }
}

function toKey(token: string, registeredAtMs: number): string {
  return `${token} ${registeredAtMs}`;
}
