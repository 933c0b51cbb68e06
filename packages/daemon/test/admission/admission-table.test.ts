import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionTable, type AdmissionRequest } from '../../src/admission/admission-table.ts';

const windowMs = 60_000;

function setUp(maxEntries = 100): { clock: FakeClock; table: AdmissionTable } {
  const clock = new FakeClock();
  return { clock, table: new AdmissionTable({ clock, windowMs, maxEntries }) };
}

function fromClient(key: string, max = 2): AdmissionRequest {
  return { kind: 'client', key, max };
}

describe('AdmissionTable', () => {
  it('admits up to the limit and not one more', () => {
    const { table } = setUp();
    expect([table.admit(fromClient('a')), table.admit(fromClient('a'))]).toEqual([true, true]);
    expect(table.admit(fromClient('a'))).toBe(false);
  });

  it('counts kinds and keys apart', () => {
    const { table } = setUp();
    const kinds = ['client', 'host-data', 'malformed', 'host-control-ip', 'host-control-server'] as const;
    for (const kind of kinds) {
      for (const key of ['a', 'b']) {
        expect(table.admit({ kind, key, max: 1 })).toBe(true);
        expect(table.admit({ kind, key, max: 1 })).toBe(false);
      }
    }
    expect(table.size).toBe(10);
  });

  it('counts from the first upgrade of a window until its end', () => {
    const { clock, table } = setUp();
    table.admit(fromClient('a'));
    clock.advance(windowMs - 1);
    table.admit(fromClient('a'));
    expect(table.admit(fromClient('a'))).toBe(false);
    clock.advance(1);
    expect([1, 2, 3].map(() => table.admit(fromClient('a')))).toEqual([true, true, false]);
  });

  it('does not extend a window for what it refuses', () => {
    const { clock, table } = setUp();
    table.admit(fromClient('a', 1));
    for (let second = 1; second < 60; second++) {
      clock.advance(1000);
      expect(table.admit(fromClient('a', 1))).toBe(false);
    }
    clock.advance(1000);
    expect(table.admit(fromClient('a', 1))).toBe(true);
  });

  it('does not mind a wall clock that is set', () => {
    const { clock, table } = setUp();
    table.admit(fromClient('a', 1));
    clock.jumpEpoch(10 * windowMs);
    expect(table.admit(fromClient('a', 1))).toBe(false);
    clock.jumpEpoch(-20 * windowMs);
    clock.advance(windowMs);
    expect(table.admit(fromClient('a', 1))).toBe(true);
  });

  it('makes room in a full table by dropping the window nearest its end', () => {
    const { clock, table } = setUp(2);
    table.admit(fromClient('oldest', 1));
    clock.advance(1);
    table.admit(fromClient('newer', 1));
    expect(table.admit(fromClient('oldest', 1))).toBe(false);
    expect(table.admit(fromClient('stranger', 1))).toBe(true);
    expect(table.size).toBe(2);
    expect(table.admit(fromClient('newer', 1))).toBe(false);
    expect(table.admit(fromClient('oldest', 1))).toBe(true);
  });

  it('drops every window that has ended at the next upgrade', () => {
    const { clock, table } = setUp();
    for (let key = 0; key < 50; key++) table.admit(fromClient(String(key)));
    clock.advance(windowMs);
    expect(table.size).toBe(50);
    table.admit(fromClient('later'));
    expect(table.size).toBe(1);
  });

  it('behaves like a table that looks at everything', () => {
    const request = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      max: fc.integer({ min: 1, max: 3 }),
    });
    const step = fc.record({ waitMs: fc.nat(9), request });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, maxEntries) => {
        const clock = new FakeClock();
        const table = new AdmissionTable({ clock, windowMs: 20, maxEntries });
        let model: { key: string; endsAt: number; count: number }[] = [];
        for (const { waitMs, request } of steps) {
          clock.advance(waitMs);
          const now = clock.monotonicMs();
          model = model.filter(({ endsAt }) => endsAt > now);
          let window = model.find(({ key }) => key === request.key);
          if (window === undefined) {
            if (model.length === maxEntries) model.shift();
            window = { key: request.key, endsAt: now + 20, count: 0 };
            model.push(window);
          }
          const isAdmitted = window.count < request.max;
          if (isAdmitted) window.count++;
          expect(table.admit({ kind: 'client', ...request })).toBe(isAdmitted);
          expect(table.size).toBe(model.length);
        }
      }),
    );
  });
});
