import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Takes what ends something that a test has started. */
export type Keep = (end: () => Promise<void> | void) => void;

/** Ends it with the current test. */
export const untilTestEnds: Keep = (end) => onTestFinished(end);

/** Something for all tests of the surrounding `describe`; they must leave it as they found it. */
export function shared<T extends object>(make: (keep: Keep) => Promise<T>): T {
  const ends: (() => Promise<void> | void)[] = [];
  let made: T | undefined;
  beforeAll(async () => {
    made = await make((end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  // It exists from beforeAll on; the tests of the block want to name it before that.
  return new Proxy({} as T, {
    get: (_target, key) => {
      if (made === undefined) throw new Error('there inside tests and hooks only');
      return Reflect.get(made, key) as unknown;
    },
  });
}
