import type { Clock } from '@openchambery/daemon';
import type { Binding } from '../../src/binding/binding.ts';
import type {
  BindingChange,
  BindingStore,
  Registration,
  RegistrationResult,
  StoreCounts,
  Unregistration,
  UnregistrationResult,
} from '../../src/binding/binding-store.ts';
import type { ReplayMark, ReplayVerdict } from '../../src/binding/replay-mark.ts';
import { PushStoreError } from '../../src/binding/store-error.ts';
import type { Environment } from '../../src/provider/push-provider.ts';

type Method = 'register' | 'unregister' | 'claim' | 'isMarked' | 'find' | 'settle' | 'lastAcceptedAtMs';

/** A store that forgets everything with the process, and fails when a test says so. */
export class MemoryBindingStore implements BindingStore {
  /** Every call, by method, in order. */
  readonly calls: Method[] = [];
  /** Methods that reject, and with what. */
  readonly failures = new Map<Method, Error>();
  /** Everything that was ever settled. */
  readonly settled: BindingChange[] = [];
  readonly bindings = new Map<string, Binding>();
  readonly acceptedAtMs = new Map<string, number>();
  maxTokens = Number.POSITIVE_INFINITY;
  /** What marking says of everything new, when it has no room. */
  full: Extract<ReplayVerdict, { kind: 'full' }> | undefined;
  /** Called before anything is done: a test may wait in it. */
  onCall: (method: Method) => Promise<void> = () => Promise.resolve();
  readonly #clock: Clock;
  readonly #marks = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Binds a token without a request. */
  bind(token: string, serverId: string, more: Partial<Binding> = {}): Binding {
    const now = this.#clock.epochMs();
    const binding: Binding = {
      token,
      serverId,
      platform: 'ios',
      kind: 'device',
      environment: undefined,
      registeredAtMs: now,
      updatedAtMs: now,
      refusals: undefined,
      ...more,
    };
    this.bindings.set(token, binding);
    return binding;
  }

  async register({ mark, token, platform, kind }: Registration): Promise<RegistrationResult> {
    await this.#enter('register');
    const verdict = this.#look(mark);
    if (verdict.kind !== 'fresh') return verdict;
    if (!this.bindings.has(token) && this.bindings.size >= this.maxTokens) return { kind: 'token-limit' };
    this.#mark(mark);
    const environment = this.bindings.get(token)?.environment;
    this.bind(token, mark.serverId, { platform, kind, environment });
    return { kind: 'bound' };
  }

  async unregister({ mark, token }: Unregistration): Promise<UnregistrationResult> {
    await this.#enter('unregister');
    const verdict = this.#look(mark);
    if (verdict.kind !== 'fresh') return verdict;
    const binding = this.bindings.get(token);
    if (binding !== undefined && binding.serverId !== mark.serverId) return { kind: 'not-yours' };
    this.#mark(mark);
    return { kind: this.bindings.delete(token) ? 'removed' : 'unknown-token' };
  }

  async claim(mark: ReplayMark): Promise<ReplayVerdict> {
    await this.#enter('claim');
    const verdict = this.#look(mark);
    if (verdict.kind === 'fresh') this.#mark(mark);
    return verdict;
  }

  async isMarked(mark: ReplayMark): Promise<boolean> {
    await this.#enter('isMarked');
    return this.#marks.has(idOf(mark));
  }

  async find(serverId: string, tokens: readonly string[]): Promise<ReadonlyMap<string, Binding>> {
    await this.#enter('find');
    const found = new Map<string, Binding>();
    for (const token of tokens) {
      const binding = this.bindings.get(token);
      if (binding?.serverId === serverId) found.set(token, binding);
    }
    return found;
  }

  async settle(changes: readonly BindingChange[]): Promise<ReadonlySet<string>> {
    await this.#enter('settle');
    this.settled.push(...changes);
    return new Set(changes.flatMap((change) => (this.#settle(change) ? [change.binding.token] : [])));
  }

  async lastAcceptedAtMs(environment: Environment, topic: string): Promise<number | undefined> {
    await this.#enter('lastAcceptedAtMs');
    return this.acceptedAtMs.get(`${environment} ${topic}`);
  }

  counts(): StoreCounts {
    return { bindingCount: this.bindings.size, replayMarkCount: this.#marks.size };
  }

  close(): Promise<void> {
    for (const method of ['register', 'unregister', 'claim', 'isMarked', 'find', 'settle'] as const) {
      this.failures.set(method, new PushStoreError('closed'));
    }
    return Promise.resolve();
  }

  async #enter(method: Method): Promise<void> {
    this.calls.push(method);
    await this.onCall(method);
    const failure = this.failures.get(method);
    if (failure !== undefined) throw failure;
  }

  #look(mark: ReplayMark): ReplayVerdict {
    const route = this.#marks.get(idOf(mark));
    if (route !== undefined) return { kind: route === mark.route ? 'repeat' : 'replay' };
    return this.full ?? { kind: 'fresh' };
  }

  #mark(mark: ReplayMark): void {
    this.#marks.set(idOf(mark), mark.route);
  }

  /** Whether the token was dropped. */
  #settle(change: BindingChange): boolean {
    const { token, serverId, registeredAtMs } = change.binding;
    const binding = this.bindings.get(token);
    if (binding?.serverId !== serverId || binding.registeredAtMs !== registeredAtMs) return false;
    const now = this.#clock.epochMs();
    switch (change.kind) {
      case 'drop':
        return this.bindings.delete(token);
      case 'accepted':
      case 'moved': {
        const environment = change.kind === 'moved' ? change.environment : binding.environment;
        this.acceptedAtMs.set(`${change.environment} ${change.topic}`, now);
        this.bindings.set(token, { ...binding, environment, refusals: undefined });
        return false;
      }
      case 'refused': {
        const { count, firstAtMs } = binding.refusals ?? { count: 0, firstAtMs: now };
        this.bindings.set(token, { ...binding, refusals: { count: count + 1, firstAtMs } });
        return false;
      }
    }
  }
}

function idOf({ serverId, textHash }: ReplayMark): string {
  return `${serverId} ${textHash.toString('hex')}`;
}
