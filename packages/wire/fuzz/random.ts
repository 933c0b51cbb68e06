/** Numbers that follow from a seed alone (mulberry32), so that a case can be played again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An unsigned 32-bit integer. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + (this.next() % (max - min + 1));
  }

  /** True in this part of all calls, from 0 to 1. */
  chance(part: number): boolean {
    return this.next() < part * 0x1_0000_0000;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.next() % list.length] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let word = this.next() | 1;
    for (let at = 0; at < length; at++) {
      if ((at & 3) === 0) {
        word ^= word << 13;
        word ^= word >>> 17;
        word ^= word << 5;
      }
      bytes[at] = word >>> ((at & 3) << 3);
    }
    return bytes;
  }

  /** Another source of numbers, which takes one from this. */
  fork(): Random {
    return new Random(this.next());
  }
}
