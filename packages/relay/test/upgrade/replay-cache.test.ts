import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayCache, type SeenUpgrade } from '../../src/upgrade/replay-cache.ts';

const replayMs = 120_000;

function setUp(maxEntries = 100): { clock: FakeClock; cache: ReplayCache } {
  const clock = new FakeClock();
  return { clock, cache: new ReplayCache({ clock, replayMs, maxEntries }) };
}

/** Looks at every record every time; as slow as it is plain. */
class NaiveReplayCache {
  records: { key: string; ip: string; seenAt: number }[] = [];
  /** When each IP last came to hold as many as it does. */
  readonly #changedAt = new Map<string, number>();
  #changes = 0;

  remember(
    { key, ip }: SeenUpgrade,
    at: { now: number; replayMs: number; maxEntries: number },
  ): 'fresh' | 'replay' {
    while (this.records[0] !== undefined && at.now - this.records[0].seenAt > at.replayMs) this.#forget(0);
    if (this.records.some((record) => record.key === key)) return 'replay';
    this.records.push({ key, ip, seenAt: at.now });
    this.#changedAt.set(ip, this.#changes++);
    if (this.records.length > at.maxEntries) {
      const busiest = this.#busiestIp();
      this.#forget(this.records.findIndex((record) => record.ip === busiest));
    }
    return 'fresh';
  }

  #forget(index: number): void {
    for (const { ip } of this.records.splice(index, 1)) this.#changedAt.set(ip, this.#changes++);
  }

  #busiestIp(): string | undefined {
    const ips = [...new Set(this.records.map(({ ip }) => ip))];
    const countOf = (ip: string): number => this.records.filter((record) => record.ip === ip).length;
    const changedAt = (ip: string): number => this.#changedAt.get(ip) ?? 0;
    return ips.sort((a, b) => countOf(b) - countOf(a) || changedAt(a) - changedAt(b))[0];
  }
}

describe('ReplayCache', () => {
  it('takes an upgrade once, wherever it comes from', () => {
    const { cache } = setUp();
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('fresh');
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('replay');
    expect(cache.remember({ key: 'k', ip: 'b' })).toBe('replay');
    expect(cache.remember({ key: 'other', ip: 'a' })).toBe('fresh');
  });

  it('remembers to the last ms of its time and forgets after it', () => {
    const { clock, cache } = setUp();
    cache.remember({ key: 'k', ip: 'a' });
    clock.advance(replayMs);
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('replay');
    clock.advance(1);
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('fresh');
  });

  it('covers a timestamp that is good from its first to its last ms', () => {
    // The wall clock shows whole ms: the two moments are up to a fraction of a ms further apart than it says.
    const { clock, cache } = setUp();
    cache.remember({ key: 'k', ip: 'a' });
    clock.advance(replayMs + 0.9);
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('replay');
  });

  it('does not remember longer because of replays', () => {
    const { clock, cache } = setUp();
    cache.remember({ key: 'k', ip: 'a' });
    clock.advance(replayMs);
    cache.remember({ key: 'k', ip: 'a' });
    clock.advance(1);
    expect(cache.remember({ key: 'k', ip: 'a' })).toBe('fresh');
  });

  it('fills up to its limit, then forgets the oldest record of the IP that holds most', () => {
    const { cache } = setUp(4);
    cache.remember({ key: 'quiet', ip: 'a' });
    for (const key of ['1', '2', '3']) cache.remember({ key, ip: 'flood' });
    expect(cache.remember({ key: '1', ip: 'flood' })).toBe('replay');
    expect(cache.remember({ key: 'stranger', ip: 'b' })).toBe('fresh');
    expect(cache.size).toBe(4);
    expect(['quiet', '2', '3', 'stranger'].map((key) => cache.remember({ key, ip: 'x' }))).toEqual(
      Array(4).fill('replay'),
    );
    expect(cache.remember({ key: '1', ip: 'flood' })).toBe('fresh');
  });

  it('lets a flood forget nothing but its own past', () => {
    const { cache } = setUp(50);
    for (let host = 0; host < 20; host++) cache.remember({ key: `host ${host}`, ip: `ip ${host}` });
    for (let count = 0; count < 1000; count++) cache.remember({ key: `flood ${count}`, ip: 'flood' });
    for (let host = 0; host < 20; host++) {
      expect(cache.remember({ key: `host ${host}`, ip: 'anyone' })).toBe('replay');
    }
    expect(cache.size).toBe(50);
  });

  it('never forgets the upgrade it has just taken', () => {
    const { cache } = setUp(1);
    for (const ip of ['a', 'b', 'b', 'c']) {
      const key = `${ip} ${Math.random()}`;
      expect(cache.remember({ key, ip })).toBe('fresh');
      expect(cache.remember({ key, ip })).toBe('replay');
      expect(cache.size).toBe(1);
    }
  });

  it('drops everything that has expired at the next call', () => {
    const { clock, cache } = setUp();
    for (let count = 0; count < 90; count++) cache.remember({ key: `k${count}`, ip: `ip${count % 7}` });
    clock.advance(replayMs + 1);
    expect(cache.size).toBe(90);
    cache.remember({ key: 'later', ip: 'ip0' });
    expect(cache.size).toBe(1);
  });

  it('behaves like a cache that looks at everything', () => {
    const step = fc.record({
      waitMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(15)),
      key: fc.nat(25).map(String),
      ip: fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c', 'd'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 9 }), (steps, maxEntries) => {
        const clock = new FakeClock();
        const cache = new ReplayCache({ clock, replayMs: 40, maxEntries });
        const naive = new NaiveReplayCache();
        for (const { waitMs, ...seen } of steps) {
          clock.advance(waitMs);
          const expected = naive.remember(seen, { now: clock.monotonicMs(), replayMs: 40, maxEntries });
          expect(cache.remember(seen)).toBe(expected);
          expect(cache.size).toBe(naive.records.length);
        }
      }),
      { numRuns: 300 },
    );
  });
});
