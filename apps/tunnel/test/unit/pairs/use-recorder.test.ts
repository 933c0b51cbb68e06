import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { addPairing, revokePairings } from '../../../src/pairs/pairing-changes.ts';
import { NO_PAIRINGS } from '../../../src/pairs/pairing.ts';
import type { Pairings } from '../../../src/pairs/pairing.ts';
import { UseRecorder } from '../../../src/pairs/use-recorder.ts';

function setUp() {
  const clock = new FakeClock(1_000_000);
  let pairings: Pairings = addPairing(addPairing(NO_PAIRINGS, 'a', 1).pairings, 'b', 1).pairings;
  const [a = '', b = ''] = pairings.live.map(({ id }) => id);
  const faults: unknown[] = [];
  let writes = 0;
  let fault: Error | undefined;
  const store = {
    update: async (change: (before: Pairings) => Pairings) => {
      if (fault !== undefined) throw fault;
      const after = change(pairings);
      if (after !== pairings) writes += 1;
      pairings = after;
      return after;
    },
  };
  const recorder = new UseRecorder({ store, clock, onFault: (error) => void faults.push(error) });
  return {
    clock,
    recorder,
    ids: { a, b },
    faults,
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    written: () => ({ writes, used: pairings.live.map(({ lastUsedAt }) => lastUsedAt) }),
    revokeA: () => (pairings = revokePairings(pairings, ['a'], 2)),
    breakStore: (error: Error | undefined) => (fault = error),
  };
}

describe('the use of a pairing', () => {
  it('is written at once, and then at most once a minute', async () => {
    const { clock, recorder, ids, settle, written } = setUp();
    recorder.record(ids.a);
    await settle();
    expect(written()).toEqual({ writes: 1, used: [1_000_000, undefined] });
    clock.advance(30_000);
    recorder.record(ids.a);
    recorder.record(ids.b);
    clock.advance(29_999);
    await settle();
    expect(written().writes).toBe(1);
    clock.advance(1);
    await settle();
    expect(written()).toEqual({ writes: 2, used: [1_030_000, 1_030_000] });
    clock.advance(60_000);
    await settle();
    expect(written().writes).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is written at the end, and no timer is left', async () => {
    const { clock, recorder, ids, written } = setUp();
    recorder.record(ids.a);
    clock.advance(10);
    recorder.record(ids.b);
    await recorder.stop();
    expect(written()).toEqual({ writes: 2, used: [1_000_000, 1_000_010] });
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not bring back what was revoked meanwhile', async () => {
    const { recorder, ids, revokeA, written } = setUp();
    revokeA();
    recorder.record(ids.a);
    await recorder.stop();
    expect(written()).toEqual({ writes: 0, used: [undefined] });
  });

  it('that cannot be written is told, and stops nothing', async () => {
    const { clock, recorder, ids, faults, settle, breakStore, written } = setUp();
    const full = new Error('disk full');
    breakStore(full);
    recorder.record(ids.a);
    await settle();
    expect(faults).toEqual([full]);
    breakStore(undefined);
    clock.advance(60_000);
    recorder.record(ids.a);
    await recorder.stop();
    expect(written()).toMatchObject({ writes: 1 });
  });
});
