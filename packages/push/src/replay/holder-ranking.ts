import { type HeapOrder, IndexedHeap } from './indexed-heap.ts';
import { isOlder, type KeptMark } from './kept-mark.ts';

/** One who holds several marks: an IP, or a server. */
export interface Holder {
  readonly size: number;
  readonly oldest: KeptMark;
  /** The mark that has to go when the holder pays. */
  readonly next: KeptMark;
  /** Among the other holders. */
  place: number;
  add(mark: KeptMark): void;
  /** Throws when it does not hold the mark. */
  remove(mark: KeptMark): void;
}

/** What holders of one kind are. */
export interface HolderKind {
  readonly nameOf: (mark: KeptMark) => string;
  /** Makes one that holds these two. */
  readonly create: (older: KeptMark, newer: KeptMark) => Holder;
  readonly ranking: HeapOrder<MarkOrHolder>;
}

/** One who holds a single mark is the mark: most are, and they are to be cheap. */
export type MarkOrHolder = KeptMark | Holder;

/** Who holds how much, in O(log n) per change. */
export class HolderRanking {
  readonly #kind: HolderKind;
  readonly #holders = new Map<string, MarkOrHolder>();
  readonly #ranking: IndexedHeap<MarkOrHolder>;

  constructor(kind: HolderKind) {
    this.#kind = kind;
    this.#ranking = new IndexedHeap(kind.ranking);
  }

  /** The mark that has to go when there are too many: one of whoever holds most. */
  get next(): KeptMark | undefined {
    const { first } = this.#ranking;
    return first === undefined || isMark(first) ? first : first.next;
  }

  /** Gives a holder one mark more. */
  add(mark: KeptMark): void {
    const name = this.#kind.nameOf(mark);
    const known = this.#holders.get(name);
    if (known === undefined) {
      this.#set(name, mark);
    } else if (isMark(known)) {
      this.#ranking.remove(known);
      this.#set(name, this.#kind.create(known, mark));
    } else {
      known.add(mark);
      this.#ranking.reorder(known);
    }
  }

  /** Takes a mark away; a holder is forgotten with its last. Throws when it does not hold the mark. */
  remove(mark: KeptMark): void {
    const name = this.#kind.nameOf(mark);
    const holder = this.#holders.get(name);
    if (holder === undefined || (isMark(holder) && holder !== mark))
      throw new Error('the mark has no such holder');
    if (isMark(holder)) {
      this.#ranking.remove(holder);
      this.#holders.delete(name);
      return;
    }
    holder.remove(mark);
    if (holder.size > 1) {
      this.#ranking.reorder(holder);
      return;
    }
    this.#ranking.remove(holder);
    this.#set(name, holder.oldest);
  }

  #set(name: string, holder: MarkOrHolder): void {
    this.#holders.set(name, holder);
    this.#ranking.add(holder);
  }
}

/** Ranks the holders of one kind. A mark that has its holder for itself has its place as among a holder's marks. */
export function toRanking({ placeOf, setPlace }: HeapOrder<KeptMark>): HeapOrder<MarkOrHolder> {
  return {
    isBefore: ranksBefore,
    placeOf: (holder) => (isMark(holder) ? placeOf(holder) : holder.place),
    setPlace: (holder, place) => {
      if (isMark(holder)) setPlace(holder, place);
      else holder.place = place;
    },
  };
}

/**
 * Among holders of as many marks, the one with the oldest mark is first: a newcomer is the last to pay. The rank
 * follows from the marks alone, hence it is the same after a restart.
 */
function ranksBefore(a: MarkOrHolder, b: MarkOrHolder): boolean {
  const sizeOfA = isMark(a) ? 1 : a.size;
  const sizeOfB = isMark(b) ? 1 : b.size;
  if (sizeOfA !== sizeOfB) return sizeOfA > sizeOfB;
  return isOlder(isMark(a) ? a : a.oldest, isMark(b) ? b : b.oldest);
}

function isMark(holder: MarkOrHolder): holder is KeptMark {
  return 'seq' in holder;
}
