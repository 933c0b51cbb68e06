import { deepEqual, equal } from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Binding } from '../../src/binding/binding.ts';
import type { BindingChange } from '../../src/binding/binding-store.ts';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import { sampleMark } from '../replay/sample-mark.ts';
import { NaiveStore } from './naive-store.ts';
import { StoreRig, serverId, token } from './support.ts';

const SERVERS = ['A', 'B', 'C'];
const TOKENS = ['1', '2', '3', '4', '5', '6'];
const LIMITS = { maxTokens: 4, maxReplayEntries: 8, replayMs: 100_000 };

const change = fc.record({
  kind: fc.constantFrom('accepted', 'accepted', 'moved', 'refused', 'refused', 'drop'),
  environment: fc.constantFrom('production', 'sandbox'),
  seen: fc.nat(1000),
});

const write = fc.record({
  kind: fc.constantFrom('register', 'register', 'unregister', 'claim', 'settle'),
  server: fc.constantFrom(...SERVERS),
  token: fc.constantFrom(...TOKENS),
  text: fc.nat(40).map(String),
  ip: fc.constantFrom('a', 'b'),
  behindMs: fc.nat(2000),
  changes: fc.array(change, { maxLength: 3 }),
});

type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const steps = fc.oneof(
  { weight: 8, arbitrary: fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ passesMs: fc.oneof(fc.nat(2000), fc.nat(70_000), fc.nat(120_000)) }) },
  { weight: 1, arbitrary: fc.constant({ reopens: true }) },
);

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

class Pair {
  readonly rig = new StoreRig({ limits: LIMITS });
  readonly naive = new NaiveStore(this.rig.clock, LIMITS);
  /** Everything ever found, so that changes come late too. */
  readonly #seen: Binding[] = [];

  async step(step: Step): Promise<void> {
    this.naive.now = this.rig.clock.epochMs();
    this.naive.replay.age();
    if ('writes' in step) await this.#write(step.writes);
    else if ('passesMs' in step) this.rig.clock.advance(step.passesMs);
    else await this.#reopen();
  }

  async #reopen(): Promise<void> {
    await this.rig.reopen();
    this.naive.replay.restart();
    // Nobody who has seen a binding is still there.
    this.#seen.length = 0;
    this.naive.forgetDates();
  }

  /** All in one turn, hence in one transaction and in that order. */
  async #write(writes: readonly Write[]): Promise<void> {
    const { store } = this.rig;
    const results = writes.map(async (one) => {
      const mark = this.#markOf(one);
      const request = { mark, token: token(one.token) };
      const registration = { ...request, platform: 'ios', kind: 'device' } as const;
      const changes = this.#changesOf(one);
      switch (one.kind) {
        case 'register':
          return [await store.register(registration), () => this.naive.register(registration)] as const;
        case 'unregister':
          return [await store.unregister(request), () => this.naive.unregister(request)] as const;
        case 'claim':
          return [await store.claim(mark), () => this.naive.claim(mark)] as const;
        default:
          return [await store.settle(changes), () => this.naive.settle(changes)] as const;
      }
    });
    for (const [result, expected] of await Promise.all(results)) deepEqual(result, expected());
  }

  async compare(texts: readonly Write[]): Promise<void> {
    const { rig, naive } = this;
    naive.now = rig.clock.epochMs();
    naive.replay.age();
    deepEqual(rig.store.counts(), naive.counts);
    for (const server of SERVERS) {
      const found = await rig.store.find(serverId(server), TOKENS.map(token));
      naive.expectFound(serverId(server), found);
      this.#seen.push(...found.values());
    }
    for (const text of texts) {
      const mark = this.#markOf(text);
      equal(await rig.store.isMarked(mark), naive.replay.isMarked(mark));
    }
    for (const environment of ['production', 'sandbox'] as const) {
      equal(await rig.store.lastAcceptedAtMs(environment, 'x'), naive.lastAcceptedAtMs(environment, 'x'));
    }
  }

  #markOf({ kind, server, text, ip, behindMs }: Write): ReplayMark {
    const ts = this.rig.clock.epochMs() - behindMs;
    return sampleMark({ server: serverId(server), text, route: kind, ts, ip });
  }

  #changesOf({ changes }: Write): BindingChange[] {
    return changes.flatMap(({ kind, environment, seen }): BindingChange[] => {
      const binding = this.#seen[seen % Math.max(1, this.#seen.length)];
      if (binding === undefined) return [];
      return kind === 'accepted' || kind === 'moved'
        ? [{ kind, binding, environment, topic: 'x' }]
        : [{ kind, binding }];
    });
  }
}

describe('the store', () => {
  it('does what the rules say, whatever is asked together and however often it is opened again', {
    timeout: 120_000,
  }, async () => {
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (plan) => {
      const pair = new Pair();
      const texts = plan.flatMap((step) => ('writes' in step ? step.writes.slice(0, 1) : []));
      try {
        for (const [index, step] of plan.entries()) {
          await pair.step(step);
          await pair.compare(texts.slice(index % 4, (index % 4) + 4));
        }
        await pair.step({ reopens: true });
        await pair.compare(texts);
      } finally {
        await pair.rig.store.close();
        rmSync(dirname(pair.rig.path), { recursive: true, force: true });
      }
    });
    await fc.assert(property, { numRuns: Number(process.env.STORE_RUNS ?? 60) });
  });
});
