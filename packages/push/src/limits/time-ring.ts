/** Where a ring starts; most keys are used a few times only. */
const FIRST_CAPACITY = 4;

/** Times in ascending order, oldest out first; grows as needed up to its maximum. */
export class TimeRing {
  readonly #max: number;
  #times: Float64Array;
  #start = 0;
  #size = 0;

  /** @param max most times held; at least 1 */
  constructor(max: number) {
    this.#max = max;
    this.#times = new Float64Array(Math.min(FIRST_CAPACITY, max));
  }

  get size(): number {
    return this.#size;
  }

  /** -Infinity when empty. */
  get oldest(): number {
    return this.#size === 0 ? Number.NEGATIVE_INFINITY : this.#at(0);
  }

  /** -Infinity when empty. */
  get newest(): number {
    return this.#size === 0 ? Number.NEGATIVE_INFINITY : this.#at(this.#size - 1);
  }

  /** Appends a time not before the newest. Throws when the ring is full. */
  append(time: number): void {
    if (this.#size === this.#max) throw new Error('the ring is full');
    if (this.#size === this.#times.length) this.#grow();
    this.#set(this.#size, time);
    this.#size++;
  }

  /** Drops every time up to and including `time`; each is paid for by its append. */
  dropUntil(time: number): void {
    while (this.#size > 0 && this.#at(0) <= time) {
      this.#start = (this.#start + 1) % this.#times.length;
      this.#size--;
    }
  }

  /** Drops one entry of exactly this time, if it is still there; those after it move up. Few are. */
  drop(time: number): void {
    let index = this.#size - 1;
    while (index >= 0 && this.#at(index) > time) index--;
    if (index < 0 || this.#at(index) !== time) return;
    for (; index < this.#size - 1; index++) this.#set(index, this.#at(index + 1));
    this.#size--;
  }

  #set(index: number, time: number): void {
    this.#times[(this.#start + index) % this.#times.length] = time;
  }

  #at(index: number): number {
    return this.#times[(this.#start + index) % this.#times.length] ?? Number.NEGATIVE_INFINITY;
  }

  #grow(): void {
    const times = new Float64Array(Math.min(this.#max, this.#times.length * 2));
    for (let index = 0; index < this.#size; index++) times[index] = this.#at(index);
    this.#times = times;
    this.#start = 0;
  }
}
