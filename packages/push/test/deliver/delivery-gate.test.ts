import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeliveryGate } from '../../src/deliver/delivery-gate.ts';

/** A delivery that ends when it is told. */
class Held {
  hasBegun = false;
  end: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  readonly run = (): Promise<string> => {
    this.hasBegun = true;
    return new Promise((resolve, reject) => {
      this.end = () => resolve('done');
      this.fail = reject;
    });
  };
}

function fill(gate: DeliveryGate, count: number): { held: Held[]; results: (Promise<string> | undefined)[] } {
  const held = Array.from({ length: count }, () => new Held());
  return { held, results: held.map((each) => gate.run(each.run)) };
}

/** Lets everything that is ready go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a gate', () => {
  it.each([1, 2, 64])('for %d lets as many run, as many again wait, and no more', async (max) => {
    const gate = new DeliveryGate(max);
    const { held, results } = fill(gate, 2 * max + 1);
    await settle();
    expect(held.map(({ hasBegun }) => hasBegun)).toEqual(held.map((_, index) => index < max));
    expect(results.map((result) => result !== undefined)).toEqual(held.map((_, index) => index < 2 * max));
    expect([gate.activeCount, gate.waitingCount]).toEqual([max, max]);
  });

  it('says at once that there is no room', () => {
    const gate = new DeliveryGate(1);
    fill(gate, 2);
    expect(gate.run(() => Promise.resolve())).toBeUndefined();
  });

  it('begins at once where there is room', () => {
    const { held } = fill(new DeliveryGate(2), 2);
    expect(held.map(({ hasBegun }) => hasBegun)).toEqual([true, true]);
  });

  it('gives each place to whoever waits longest', async () => {
    const gate = new DeliveryGate(2);
    const { held } = fill(gate, 4);
    held[1]?.end();
    await settle();
    expect(held.map(({ hasBegun }) => hasBegun)).toEqual([true, true, true, false]);
    const late = new Held();
    expect(gate.run(late.run)).toBeDefined();
    held[2]?.end();
    await settle();
    expect([held[3]?.hasBegun, late.hasBegun]).toEqual([true, false]);
  });

  it('lets nobody slip in while a place changes hands', () => {
    const gate = new DeliveryGate(1);
    const [first, second, third] = [new Held(), new Held(), new Held()];
    void gate.run(first.run);
    void gate.run(second.run);
    first.end();
    void gate.run(third.run);
    expect(third.hasBegun).toBe(false);
  });

  it('gives on what a delivery gives', async () => {
    const gate = new DeliveryGate(1);
    const { held, results } = fill(gate, 2);
    held[0]?.end();
    await settle();
    held[1]?.end();
    expect([await results[0], await results[1]]).toEqual(['done', 'done']);
  });
});

describe('a delivery that fails', () => {
  it('frees its place, and only its caller hears of it', async () => {
    const gate = new DeliveryGate(1);
    const { held, results } = fill(gate, 2);
    held[0]?.fail(new Error('no'));
    await expect(results[0]).rejects.toThrow('no');
    await settle();
    expect(held[1]?.hasBegun).toBe(true);
    held[1]?.end();
    expect(await results[1]).toBe('done');
    expect([gate.activeCount, gate.waitingCount]).toEqual([0, 0]);
  });

  it('frees its place although it threw before there was a promise', async () => {
    const gate = new DeliveryGate(1);
    const thrown = gate.run(() => {
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    expect(gate.activeCount).toBe(0);
  });
});

it('keeps order and bounds whatever happens', async () => {
  const steps = fc.array(fc.oneof(fc.constant('run' as const), fc.nat(9)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (max, steps) => {
      const gate = new DeliveryGate(max);
      const begun: number[] = [];
      let running: { id: number; held: Held }[] = [];
      const taken: number[] = [];
      let nextId = 0;
      for (const step of steps) {
        if (step === 'run') {
          const id = nextId++;
          const held = new Held();
          const isRoom = gate.activeCount + gate.waitingCount < 2 * max;
          const result = gate.run(() => {
            begun.push(id);
            running.push({ id, held });
            return held.run();
          });
          expect(result !== undefined).toBe(isRoom);
          if (result === undefined) continue;
          taken.push(id);
          result.catch(() => undefined);
        } else {
          const ending = running[step % Math.max(1, running.length)];
          if (ending === undefined) continue;
          running = running.filter((each) => each !== ending);
          if (step % 2 === 0) ending.held.end();
          else ending.held.fail(new Error('no'));
        }
        await settle();
        expect(running.length).toBe(gate.activeCount);
        expect(gate.activeCount).toBeLessThanOrEqual(max);
        expect(gate.waitingCount).toBeLessThanOrEqual(max);
        expect(gate.waitingCount === 0 || gate.activeCount === max).toBe(true);
        expect(begun).toEqual(taken.slice(0, begun.length));
      }
    }),
    { numRuns: 60 },
  );
});
