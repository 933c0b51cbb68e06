import { describe, expect, it } from 'vitest';
import { GroupedSet } from '../../src/collections/grouped-set.ts';

describe('GroupedSet', () => {
  it('counts each member once, by group', () => {
    const set = new GroupedSet<string, number>();
    set.add('a', 1);
    set.add('a', 1);
    set.add('a', 2);
    set.add('b', 1);
    expect([set.count('a'), set.count('b'), set.count('c')]).toEqual([2, 1, 0]);
  });

  it('forgets a group with its last member', () => {
    const set = new GroupedSet<string, number>();
    for (let key = 0; key < 1000; key++) set.add(`stranger ${key}`, key);
    for (let key = 0; key < 1000; key++) set.delete(`stranger ${key}`, key);
    expect(set.groupCount).toBe(0);
  });

  it('takes no harm from a member or a group that is not there', () => {
    const set = new GroupedSet<string, number>();
    set.add('a', 1);
    set.delete('a', 2);
    set.delete('b', 1);
    expect([set.count('a'), set.groupCount]).toEqual([1, 1]);
    set.delete('a', 1);
    set.delete('a', 1);
    expect(set.groupCount).toBe(0);
  });
});
