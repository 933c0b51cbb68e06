import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HeapOrder, IndexedHeap } from '../../src/replay/indexed-heap.ts';

interface Item {
  rank: number;
  readonly id: number;
  place: number;
}

function isBefore(a: Item, b: Item): boolean {
  return a.rank === b.rank ? a.id < b.id : a.rank < b.rank;
}

const ORDER: HeapOrder<Item> = {
  isBefore,
  placeOf: (item) => item.place,
  setPlace: (item, place) => (item.place = place),
};

function firstOf(items: readonly Item[]): Item | undefined {
  return [...items].sort((a, b) => (isBefore(a, b) ? -1 : 1))[0];
}

describe('IndexedHeap', () => {
  it('knows the first after any addition, removal and change of order', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'add', 'remove', 'reorder'),
      at: fc.nat(1000),
      rank: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new IndexedHeap<Item>(ORDER);
        const items: Item[] = [];
        for (const [id, { kind, at, rank }] of steps.entries()) {
          const chosen = items[at % Math.max(1, items.length)];
          if (kind === 'add' || chosen === undefined) {
            const item = { rank, id, place: -1 };
            heap.add(item);
            items.push(item);
          } else if (kind === 'remove') {
            heap.remove(chosen);
            items.splice(items.indexOf(chosen), 1);
          } else {
            chosen.rank = rank;
            heap.reorder(chosen);
          }
          expect(heap.size).toBe(items.length);
          expect(heap.first).toBe(firstOf(items));
        }
        for (let first = heap.first; first !== undefined; first = heap.first) {
          expect(first).toBe(firstOf(items));
          heap.remove(first);
          items.splice(items.indexOf(first), 1);
        }
        expect(items).toEqual([]);
      }),
    );
  });

  it('refuses a value twice, and one that is not in', () => {
    const heap = new IndexedHeap<Item>(ORDER);
    const item = { rank: 1, id: 1, place: -1 };
    heap.add(item);
    expect(() => heap.add(item)).toThrow('already');
    heap.remove(item);
    expect(() => heap.remove(item)).toThrow('not in this heap');
    expect(() => heap.reorder(item)).toThrow('not in this heap');
  });

  it('does not take the place of a value in another heap for one in its own', () => {
    const [heap, other] = [new IndexedHeap<Item>(ORDER), new IndexedHeap<Item>(ORDER)];
    const item = { rank: 1, id: 1, place: -1 };
    heap.add({ rank: 1, id: 2, place: -1 });
    other.add(item);
    expect(() => heap.remove(item)).toThrow('not in this heap');
    expect(heap.size).toBe(1);
  });
});
