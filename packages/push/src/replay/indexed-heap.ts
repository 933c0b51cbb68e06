/** What a heap has to know of its values. Each value remembers its place itself, which costs least. */
export interface HeapOrder<T> {
  /** A strict total order of the values. */
  readonly isBefore: (a: T, b: T) => boolean;
  /** The place that was given last; any number while the value is in no heap of this order. */
  readonly placeOf: (value: T) => number;
  readonly setPlace: (value: T, place: number) => void;
}

/** Up to that length an array is copied to grow: pushing to a short one makes room for sixteen more. */
const COPIED_LENGTH = 8;

/**
 * A binary heap that gives up any of its values, not only the first, in O(log n). Which value is first depends on the
 * values alone and not on when they came, so that one that was taken out by mistake can be put back. A value can be in
 * one heap of an order at a time.
 */
export class IndexedHeap<T> {
  readonly #order: HeapOrder<T>;
  #values: T[] = [];

  constructor(order: HeapOrder<T>) {
    this.#order = order;
  }

  /** How many values are in the heap. */
  get size(): number {
    return this.#values.length;
  }

  /** The value that is before all others. */
  get first(): T | undefined {
    return this.#values[0];
  }

  /** Puts a value in. Throws when it is in already. */
  add(value: T): void {
    if (this.#has(value)) throw new Error('the value is in this heap already');
    const place = this.#values.length;
    if (place < COPIED_LENGTH) this.#values = this.#values.concat([value]);
    else this.#values.push(value);
    this.#rise(value, place);
  }

  /** Takes a value out. Throws when it is not in. */
  remove(value: T): void {
    const place = this.#placeOf(value);
    const last = this.#values.pop();
    if (last === undefined || last === value) return;
    this.#settle(last, place);
  }

  /** Finds a value its place again after what orders it has changed. Throws when it is not in. */
  reorder(value: T): void {
    this.#settle(value, this.#placeOf(value));
  }

  #has(value: T): boolean {
    return this.#values[this.#order.placeOf(value)] === value;
  }

  #placeOf(value: T): number {
    if (!this.#has(value)) throw new Error('the value is not in this heap');
    return this.#order.placeOf(value);
  }

  #put(value: T, place: number): void {
    this.#values[place] = value;
    this.#order.setPlace(value, place);
  }

  #settle(value: T, place: number): void {
    this.#sink(value, this.#rise(value, place));
  }

  /** Moves a value up from a place that is free for it; gives where it is now. */
  #rise(value: T, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#values[above];
      if (parent === undefined || !this.#order.isBefore(value, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(value, place);
    return place;
  }

  #sink(value: T, from: number): void {
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      let child = this.#values[below];
      const right = this.#values[below + 1];
      if (child !== undefined && right !== undefined && this.#order.isBefore(right, child)) {
        child = right;
        below++;
      }
      if (child === undefined || !this.#order.isBefore(child, value)) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(value, place);
  }
}
