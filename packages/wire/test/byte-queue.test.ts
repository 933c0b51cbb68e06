import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteQueue } from '../src/byte-queue.ts';
import { patternBytes } from './support/client-frames.ts';

type Step = { readonly push: number } | { readonly take: number } | { readonly clear: true };

/** Around the size from which a chunk is queued as it is, and around the size of a block of small ones. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.constantFrom(2047, 2048, 2049, 16_383, 16_384, 16_385, 65_536),
);
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record<Step>({ push: sizes }) },
    { weight: 4, arbitrary: fc.record<Step>({ take: fc.oneof(sizes, fc.constant(1e9)) }) },
    { weight: 1, arbitrary: fc.constant<Step>({ clear: true }) },
  ),
  { maxLength: 80 },
);

describe('ByteQueue', () => {
  it('gives bytes back in order and counts them, whatever is pushed and taken', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const queue = new ByteQueue();
        let model = Buffer.alloc(0);
        let pushed = 0;
        for (const step of script) {
          if ('push' in step) {
            const chunk = patternBytes(step.push, pushed);
            pushed += step.push;
            model = Buffer.concat([model, chunk]);
            queue.push(chunk);
          } else if ('take' in step) {
            const chunks = queue.take(step.take);
            const got = Buffer.concat(chunks);
            expect(got.equals(model.subarray(0, got.length))).toBe(true);
            expect(got.length).toBeGreaterThanOrEqual(Math.min(step.take, model.length));
            // No chunk more than needed.
            expect(got.length - (chunks.at(-1)?.length ?? 0)).toBeLessThanOrEqual(Math.max(0, step.take));
            model = model.subarray(got.length);
          } else {
            queue.clear();
            model = Buffer.alloc(0);
          }
          expect(queue.bytes).toBe(model.length);
        }
        expect(Buffer.concat(queue.take(Number.POSITIVE_INFINITY)).equals(model)).toBe(true);
        expect(queue.bytes).toBe(0);
        expect(queue.take(1)).toEqual([]);
      }),
    );
  });

  it('keeps what was taken as it was while more is pushed', () => {
    const queue = new ByteQueue();
    queue.push(Buffer.from('first'));
    const taken = queue.take(5);
    for (let i = 0; i < 5000; i++) queue.push(Buffer.from('later'));
    expect(Buffer.concat(taken).toString()).toBe('first');
  });

  it('keeps many small chunks in few buffers', () => {
    const queue = new ByteQueue();
    for (let i = 0; i < 10_000; i++) queue.push(Buffer.alloc(10));
    expect(queue.take(Number.POSITIVE_INFINITY).length).toBeLessThan(10);
  });
});
