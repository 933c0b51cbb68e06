/** Numbers that follow from a seed alone (mulberry32), so that a case can be played again. */
export class SeededRandom {
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

  /** An integer from 0 to `end` − 1; 0 when there is none. */
  below(end: number): number {
    return end <= 0 ? 0 : this.next() % end;
  }

  pick<Item>(list: readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }
}
