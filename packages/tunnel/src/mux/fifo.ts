/** A queue whose every step is O(1), however long it gets. */
export class Fifo<T extends object> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.#head === this.#items.length) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) this.clear();
    // Half of it has been taken since the last time, so that a step costs two copies at most.
    else if (this.#head >= 32 && this.#head * 2 >= this.#items.length) this.#compact();
    return item;
  }

  /** Takes out what is not to be kept: O(size). */
  retain(isKept: (item: T) => boolean): void {
    this.#items = this.#items.filter((item) => item !== undefined && isKept(item));
    this.#head = 0;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
