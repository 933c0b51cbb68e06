interface Place<T> {
  readonly value: T;
  index: number;
}

/**
 * A binary heap that gives up any of its values, not only the first, in O(log n). Which value is first depends on the
 * values alone and not on when they came, so that one that was taken out by mistake can be put back.
 */
export class IndexedHeap<T> {
  readonly #order: Place<T>[] = [];
  readonly #places = new Map<T, Place<T>>();
  readonly #isBefore: (a: T, b: T) => boolean;

  /** @param isBefore a strict total order of the values. */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** How many values are in the heap. */
  get size(): number {
    return this.#order.length;
  }

  /** The value that is before all others. */
  get first(): T | undefined {
    return this.#order[0]?.value;
  }

  /** Puts a value in. Throws when it is in already. */
  add(value: T): void {
    if (this.#places.has(value)) throw new Error('the value is in this heap already');
    const place: Place<T> = { value, index: this.#order.length };
    this.#places.set(value, place);
    this.#order.push(place);
    this.#rise(place);
  }

  /** Takes a value out. Throws when it is not in. */
  remove(value: T): void {
    const place = this.#placeOf(value);
    this.#places.delete(value);
    const last = this.#order.pop();
    if (last === undefined || last === place) return;
    this.#put(last, place.index);
    this.#settle(last);
  }

  /** Finds a value its place again after what orders it has changed. Throws when it is not in. */
  reorder(value: T): void {
    this.#settle(this.#placeOf(value));
  }

  #placeOf(value: T): Place<T> {
    const place = this.#places.get(value);
    if (place === undefined) throw new Error('the value is not in this heap');
    return place;
  }

  #put(place: Place<T>, index: number): void {
    place.index = index;
    this.#order[index] = place;
  }

  #settle(place: Place<T>): void {
    this.#rise(place);
    this.#sink(place);
  }

  #rise(place: Place<T>): void {
    while (place.index > 0) {
      const index = place.index;
      const parent = this.#order[(index - 1) >> 1];
      if (parent === undefined || !this.#isBefore(place.value, parent.value)) return;
      this.#put(place, parent.index);
      this.#put(parent, index);
    }
  }

  #sink(place: Place<T>): void {
    for (;;) {
      const index = place.index;
      let child = this.#order[2 * index + 1];
      const right = this.#order[2 * index + 2];
      if (child !== undefined && right !== undefined && this.#isBefore(right.value, child.value))
        child = right;
      if (child === undefined || !this.#isBefore(child.value, place.value)) return;
      this.#put(place, child.index);
      this.#put(child, index);
    }
  }
}
