import { describe, expect, it } from 'vitest';
import { runCase } from '../../fuzz/case.ts';

describe('whatever parses', () => {
  // More of it: node --conditions=@openchambery/source packages/tunnel/fuzz/run.ts
  it('takes changed bytes without a fault, and accepts nothing out of bounds', () => {
    const faults: string[] = [];
    for (let seed = 1; seed <= 3000; seed++)
      faults.push(...runCase(seed).map((fault) => `seed ${seed}: ${fault}`));
    expect(faults).toEqual([]);
  });
});
