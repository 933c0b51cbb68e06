/** Numbers that follow from a seed alone (xorshift128 behind splitmix32), so that a case can be played again. */
export class Random {
  #x: number;
  #y: number;
  #z: number;
  #w: number;

  constructor(seed: number) {
    let word = seed >>> 0;
    const draw = (): number => {
      word = (word + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    this.#x = draw();
    this.#y = draw();
    this.#z = draw();
    this.#w = draw();
  }

  /** An unsigned 32-bit integer. */
  next(): number {
    const mixed = this.#x ^ (this.#x << 11);
    this.#x = this.#y;
    this.#y = this.#z;
    this.#z = this.#w;
    this.#w = (this.#w ^ (this.#w >>> 19) ^ mixed ^ (mixed >>> 8)) >>> 0;
    return this.#w;
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
