import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ReadMemory } from '../../src/node/read-memory.ts';

/** A stream whose chunks are 8 KiB of zeros, taken apart in between as `take` does. */
function reading(take: (memory: ReadMemory, chunk: Uint8Array) => void): {
  readonly memory: ReadMemory;
  readonly read: () => Uint8Array;
} {
  const stream = new EventEmitter();
  let memory: ReadMemory | undefined;
  stream.on('data', (chunk: Uint8Array) => memory !== undefined && take(memory, chunk));
  memory = new ReadMemory(stream);
  const read = (): Uint8Array => {
    const chunk = new Uint8Array(8192);
    stream.emit('data', chunk);
    return chunk;
  };
  return { memory, read };
}

test('gives a chunk back when frames that reach its end have been delivered, and not one byte earlier', () => {
  const payloads = [8192 - 4, 8192 - 4 - 1, 0];
  const { read } = reading((memory) => memory.noteFrame(payloads.shift() ?? 0));
  expect(read()).toHaveLength(0);
  const second = read();
  expect(second).toHaveLength(8192);
  // An empty frame has two bytes: one ends this chunk, one begins the next.
  const third = read();
  expect([second.length, third.length]).toEqual([0, 8192]);
});

test('knows what lies in it while it is taken apart', () => {
  const seen: boolean[] = [];
  const { read } = reading((memory, chunk) => {
    seen.push(memory.has(chunk.subarray(1)), memory.has(new Uint8Array(1)));
  });
  read();
  expect(seen).toEqual([true, false]);
});

test('keeps what it was told to keep', () => {
  const { memory, read } = reading((memory) => memory.noteFrame(8192 - 4));
  expect(read()).toHaveLength(0);
  const { read: readWithPing } = reading((memory) => {
    memory.keep();
    memory.noteFrame(8192 - 4);
  });
  expect(readWithPing()).toHaveLength(8192);
  expect(memory.has(new Uint8Array(1))).toBe(false);
});
