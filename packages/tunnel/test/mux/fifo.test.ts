import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fifo } from '../../src/mux/fifo.ts';

it('gives items in the order they came, whatever comes in between', () => {
  const steps = fc.array(fc.constantFrom('push', 'push', 'shift', 'clear', 'retain'), {
    maxLength: 400,
  });
  fc.assert(
    fc.property(steps, (steps) => {
      const fifo = new Fifo<{ readonly count: number }>();
      let model: { readonly count: number }[] = [];
      for (const [count, step] of steps.entries()) {
        if (step === 'push') {
          fifo.push({ count });
          model.push({ count });
        } else if (step === 'shift') {
          expect(fifo.shift()).toEqual(model.shift());
        } else if (step === 'retain') {
          const isKept = (item: { readonly count: number }): boolean => item.count % 7 !== count % 7;
          fifo.retain(isKept);
          model = model.filter(isKept);
        } else if (count % 50 === 0) {
          fifo.clear();
          model = [];
        }
        expect(fifo.size).toBe(model.length);
        expect(fifo.first).toEqual(model[0]);
      }
    }),
    { numRuns: 50 },
  );
});

it('takes a hundred thousand items in and out without effort', () => {
  const fifo = new Fifo<{ readonly at: number }>();
  for (let at = 0; at < 100_000; at += 1) fifo.push({ at });
  for (let at = 0; at < 100_000; at += 1) {
    if (fifo.shift()?.at !== at) throw new Error(`out of order at ${at}`);
    if (at % 3 === 0) fifo.push({ at: 100_000 + at / 3 });
  }
  expect(fifo.first?.at).toBe(100_000);
});
