import type { Delivery } from './delivery.ts';

/**
 * Deliveries in the order they came. A list linked through its members: a push whose deadline passes leaves from the
 * middle in O(1), which neither an array nor a Set that is emptied from the front can offer.
 */
export class DeliveryQueue {
  #first: Delivery | undefined = undefined;
  #last: Delivery | undefined = undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Delivery | undefined {
    return this.#first;
  }

  push(delivery: Delivery): void {
    delivery.previous = this.#last;
    if (this.#last === undefined) this.#first = delivery;
    else this.#last.next = delivery;
    this.#last = delivery;
    this.#size += 1;
  }

  /** For what has waited before. */
  unshift(delivery: Delivery): void {
    delivery.next = this.#first;
    if (this.#first === undefined) this.#last = delivery;
    else this.#first.previous = delivery;
    this.#first = delivery;
    this.#size += 1;
  }

  /** Only for a member. */
  remove(delivery: Delivery): void {
    const { previous, next } = delivery;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    delivery.previous = undefined;
    delivery.next = undefined;
    this.#size -= 1;
  }
}
