import { type Holder, type HolderKind, HolderRanking, toRanking } from './holder-ranking.ts';
import { type HeapOrder, IndexedHeap } from './indexed-heap.ts';
import { type KeptMark, OF_IP_BY_AGE, OF_PAYER_BY_AGE, OF_PAYER_BY_TS } from './kept-mark.ts';

/** A server that has several marks from one IP. It pays with the one that has the lowest `ts`. */
class MarksOfServer implements Holder {
  place = -1;
  readonly #byAge: IndexedHeap<KeptMark>;
  readonly #byTs: IndexedHeap<KeptMark>;

  constructor(older: KeptMark, newer: KeptMark) {
    this.#byAge = heapOf(OF_PAYER_BY_AGE, older, newer);
    this.#byTs = heapOf(OF_PAYER_BY_TS, older, newer);
  }

  get size(): number {
    return this.#byAge.size;
  }

  get oldest(): KeptMark {
    return present(this.#byAge.first);
  }

  get next(): KeptMark {
    return present(this.#byTs.first);
  }

  add(mark: KeptMark): void {
    this.#byAge.add(mark);
    this.#byTs.add(mark);
  }

  remove(mark: KeptMark): void {
    this.#byAge.remove(mark);
    this.#byTs.remove(mark);
  }
}

const SERVERS: HolderKind = {
  nameOf: ({ serverId }) => serverId,
  create: (older, newer) => new MarksOfServer(older, newer),
  ranking: toRanking(OF_PAYER_BY_AGE),
};

/** An IP with several marks. The server that holds most of them pays. */
class MarksOfIp implements Holder {
  place = -1;
  readonly #byAge: IndexedHeap<KeptMark>;
  readonly #servers = new HolderRanking(SERVERS);

  constructor(older: KeptMark, newer: KeptMark) {
    this.#byAge = heapOf(OF_IP_BY_AGE, older, newer);
    this.#servers.add(older);
    this.#servers.add(newer);
  }

  get size(): number {
    return this.#byAge.size;
  }

  get oldest(): KeptMark {
    return present(this.#byAge.first);
  }

  get next(): KeptMark {
    return present(this.#servers.next);
  }

  add(mark: KeptMark): void {
    this.#byAge.add(mark);
    this.#servers.add(mark);
  }

  remove(mark: KeptMark): void {
    this.#byAge.remove(mark);
    this.#servers.remove(mark);
  }
}

const IPS: HolderKind = {
  nameOf: ({ ip }) => ip,
  create: (older, newer) => new MarksOfIp(older, newer),
  ranking: toRanking(OF_IP_BY_AGE),
};

/**
 * Whose mark has to go when there are too many: of the IP that holds most, the server that holds most. A flood of
 * identities from one place thus pays for itself, and within that place no small server pays for a large one.
 */
export class Payers {
  readonly #ips = new HolderRanking(IPS);

  add(mark: KeptMark): void {
    this.#ips.add(mark);
  }

  /** Throws when the mark is not held. */
  remove(mark: KeptMark): void {
    this.#ips.remove(mark);
  }

  /** The mark that would go next: the payer's with the lowest `ts`. */
  get next(): KeptMark | undefined {
    return this.#ips.next;
  }
}

function heapOf(order: HeapOrder<KeptMark>, ...marks: readonly KeptMark[]): IndexedHeap<KeptMark> {
  const heap = new IndexedHeap(order);
  for (const mark of marks) heap.add(mark);
  return heap;
}

function present(mark: KeptMark | undefined): KeptMark {
  if (mark === undefined) throw new Error('a holder without a mark');
  return mark;
}
