import { expect } from 'vitest';

/** Like `expect.poll`, with time for a machine that has much else to do. */
export function soon<Value>(read: () => Value, intervalMs = 20): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read, { timeout: 15_000, interval: intervalMs });
}
