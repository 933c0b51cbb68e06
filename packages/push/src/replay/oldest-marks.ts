import { IndexedHeap } from './indexed-heap.ts';
import { type KeptMark, OF_SERVER_BY_AGE } from './kept-mark.ts';

/** Which mark of a server is its oldest, in O(log n) per change. A single mark stands for itself. */
export class OldestMarks {
  readonly #byServer = new Map<string, KeptMark | IndexedHeap<KeptMark>>();

  of(serverId: string): KeptMark | undefined {
    const known = this.#byServer.get(serverId);
    return known instanceof IndexedHeap ? known.first : known;
  }

  add(mark: KeptMark): void {
    const known = this.#byServer.get(mark.serverId);
    if (known === undefined) {
      this.#byServer.set(mark.serverId, mark);
      return;
    }
    if (known instanceof IndexedHeap) {
      known.add(mark);
      return;
    }
    const heap = new IndexedHeap(OF_SERVER_BY_AGE);
    heap.add(known);
    heap.add(mark);
    this.#byServer.set(mark.serverId, heap);
  }

  /** Throws when the server does not have the mark. */
  remove(mark: KeptMark): void {
    const known = this.#byServer.get(mark.serverId);
    if (known === mark) {
      this.#byServer.delete(mark.serverId);
      return;
    }
    if (!(known instanceof IndexedHeap)) throw new Error('the server has no such mark');
    known.remove(mark);
    if (known.size === 1 && known.first !== undefined) this.#byServer.set(mark.serverId, known.first);
  }
}
