import { IndexedHeap } from './indexed-heap.ts';
import { isOlder, type KeptMark } from './kept-mark.ts';

/** One who holds marks: an IP, or a server. */
export interface Holder {
  readonly name: string;
  /** What it holds, oldest first. */
  readonly marks: IndexedHeap<KeptMark>;
}

/**
 * Among holders of as many marks, the one with the oldest mark is first: a newcomer is the last to pay. The rank
 * follows from the marks alone, hence it is the same after a restart.
 */
function ranksBefore(a: Holder, b: Holder): boolean {
  if (a.marks.size !== b.marks.size) return a.marks.size > b.marks.size;
  const { first: oldestOfA } = a.marks;
  const { first: oldestOfB } = b.marks;
  return oldestOfA !== undefined && oldestOfB !== undefined && isOlder(oldestOfA, oldestOfB);
}

/** Who holds how much, in O(log n) per change. */
export class HolderRanking {
  readonly #holders = new Map<string, Holder>();
  readonly #ranking = new IndexedHeap<Holder>(ranksBefore);

  /** How many hold something. */
  get size(): number {
    return this.#holders.size;
  }

  /** Who holds most. */
  get first(): Holder | undefined {
    return this.#ranking.first;
  }

  get(name: string): Holder | undefined {
    return this.#holders.get(name);
  }

  /** Gives a holder one mark more. */
  add(name: string, mark: KeptMark): void {
    const known = this.#holders.get(name);
    if (known !== undefined) {
      known.marks.add(mark);
      this.#ranking.reorder(known);
      return;
    }
    const holder: Holder = { name, marks: new IndexedHeap(isOlder) };
    holder.marks.add(mark);
    this.#holders.set(name, holder);
    this.#ranking.add(holder);
  }

  /** Takes a mark away; a holder is forgotten with its last. Throws when it does not hold the mark. */
  remove(name: string, mark: KeptMark): void {
    const holder = this.#holders.get(name);
    if (holder === undefined) throw new Error('the mark has no such holder');
    if (holder.marks.size === 1 && holder.marks.first === mark) {
      this.#ranking.remove(holder);
      this.#holders.delete(name);
      return;
    }
    holder.marks.remove(mark);
    this.#ranking.reorder(holder);
  }
}
