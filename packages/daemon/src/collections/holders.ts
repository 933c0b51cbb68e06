import { LinkedList, type ListNode } from './linked-list.ts';

interface Holder<T> {
  readonly key: string;
  /** What it holds, oldest first. */
  readonly items: LinkedList<T>;
  /** Where it stands among the holders of as many items. */
  place: ListNode<Holder<T>> | undefined;
}

/**
 * Who holds how much, by key: an IP, a serverId. Holders stand in one queue per number of items; a change moves a holder to the next queue up or
 * down, and the highest number moves along with it by one: nothing is ever searched for.
 */
export class Holders<T> {
  readonly #holders = new Map<string, Holder<T>>();
  readonly #queues = new Map<number, LinkedList<Holder<T>>>();
  #highest = 0;

  /** Keys that hold something. */
  get size(): number {
    return this.#holders.size;
  }

  /** Gives a key one item more. */
  add(key: string, item: T): void {
    let holder = this.#holders.get(key);
    if (holder === undefined) {
      holder = { key, items: new LinkedList(), place: undefined };
      this.#holders.set(key, holder);
    }
    this.#leaveQueue(holder);
    holder.items.append(item);
    this.#joinQueue(holder);
    this.#highest = Math.max(this.#highest, holder.items.size);
  }

  /** Takes the oldest item of a key away and returns it; `undefined` when the key holds none. */
  takeOldest(key: string): T | undefined {
    const holder = this.#holders.get(key);
    const oldest = holder?.items.first;
    if (holder === undefined || oldest === undefined) return undefined;
    this.#leaveQueue(holder);
    holder.items.remove(oldest);
    if (holder.items.size === 0) this.#holders.delete(key);
    else this.#joinQueue(holder);
    // Only this holder moved, by one: if it was the last of the highest, it is now among the highest itself.
    if (!this.#queues.has(this.#highest)) this.#highest = holder.items.size;
    return oldest.value;
  }

  /** The key that holds most; among equals, the one that has held that many for longest. */
  busiestKey(): string | undefined {
    return this.#queues.get(this.#highest)?.first?.value.key;
  }

  #leaveQueue(holder: Holder<T>): void {
    const count = holder.items.size;
    const queue = this.#queues.get(count);
    if (queue === undefined || holder.place === undefined) return;
    queue.remove(holder.place);
    holder.place = undefined;
    if (queue.size === 0) this.#queues.delete(count);
  }

  #joinQueue(holder: Holder<T>): void {
    const count = holder.items.size;
    let queue = this.#queues.get(count);
    if (queue === undefined) {
      queue = new LinkedList();
      this.#queues.set(count, queue);
    }
    holder.place = queue.append(holder);
  }
}
