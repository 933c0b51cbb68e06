/** Numbers that follow from a seed alone (xorshift128 behind splitmix32), so that a case can be played again. */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    let word = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      word = (word + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    });
  }

  /** An unsigned 32-bit integer. */
  next(): number {
    const [x = 0, y = 0, z = 0, w = 0] = this.#state;
    const mixed = x ^ (x << 11);
    const last = (w ^ (w >>> 19) ^ mixed ^ (mixed >>> 8)) >>> 0;
    this.#state.set([y, z, w, last]);
    return last;
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

  /** Picks by weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    const sum = list.reduce((total, [weight]) => total + weight, 0);
    let at = this.next() % sum;
    for (const [weight, value] of list) {
      if (at < weight) return value;
      at -= weight;
    }
    throw new Error('weights are whole numbers above 0');
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 4) {
      const word = this.next();
      for (let i = 0; i < 4 && at + i < length; i++) bytes[at + i] = word >>> (8 * i);
    }
    return bytes;
  }
}
