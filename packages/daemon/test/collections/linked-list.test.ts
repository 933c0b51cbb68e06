import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkedList, type ListNode } from '../../src/collections/linked-list.ts';

describe('LinkedList', () => {
  it('behaves like an array', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20), { nil: 'append' as const })), (steps) => {
        const list = new LinkedList<number>();
        const model: ListNode<number>[] = [];
        for (const [value, step] of steps.entries()) {
          if (step === 'append') model.push(list.append(value));
          for (const node of step === 'append' ? [] : model.splice(step, 1)) list.remove(node);
          expect(list.size).toBe(model.length);
          expect(list.first).toBe(model[0]);
        }
        while (list.first !== undefined) {
          expect(list.first).toBe(model.shift());
          list.remove(list.first);
        }
        expect([list.size, model.length]).toEqual([0, 0]);
      }),
    );
  });

  it('refuses a node that is not in it', () => {
    const list = new LinkedList<number>();
    const node = list.append(1);
    expect(() => new LinkedList<number>().remove(node)).toThrow('not in this list');
    list.remove(node);
    expect(() => list.remove(node)).toThrow('not in this list');
    expect(list.size).toBe(0);
  });
});
