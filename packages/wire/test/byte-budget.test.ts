import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetAccount, ByteBudget } from '../src/index.ts';
import type { BudgetOwner } from '../src/index.ts';

const LIMIT_BYTES = 1_000_000;

interface Step {
  readonly owner: number;
  readonly account: number;
  readonly bytes: number;
}

const steps = fc.array(
  fc.record<Step>({
    owner: fc.integer({ min: 0, max: 3 }),
    account: fc.integer({ min: 0, max: 4 }),
    bytes: fc.integer({ min: 0, max: LIMIT_BYTES }),
  }),
  { maxLength: 60 },
);

/** Fills the queues of an owner, chunk by chunk, for as long as it is let. */
function fillGreedily(owner: BudgetOwner, chunkBytes: number, queues = 1): BudgetAccount[] {
  const accounts = Array.from({ length: queues }, () => new BudgetAccount(owner));
  const held = accounts.map(() => 0);
  for (let turn = 0; !owner.isPressed; turn++) {
    const at = turn % queues;
    held[at] = (held[at] ?? 0) + chunkBytes;
    accounts[at]?.set(held[at] ?? 0);
  }
  return accounts;
}

describe('ByteBudget', () => {
  it('counts for all, for each owner, and nothing once every queue is empty', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const budget = new ByteBudget(LIMIT_BYTES);
        const owners = Array.from({ length: 4 }, () => budget.createOwner());
        const accounts = owners.map((owner) => Array.from({ length: 5 }, () => new BudgetAccount(owner)));
        const model = owners.map(() => [0, 0, 0, 0, 0]);
        const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
        for (const { owner, account, bytes } of script) {
          accounts[owner]?.[account]?.set(bytes);
          model[owner]?.splice(account, 1, bytes);
          expect(owners.map((one) => one.usedBytes)).toEqual(model.map(sum));
          expect(budget.usedBytes).toBe(sum(model.map(sum)));
          const free = LIMIT_BYTES - sum(model.map(sum));
          expect(owners.map((one) => one.isPressed)).toEqual(model.map((held) => 8 * sum(held) >= free));
        }
        for (const account of accounts.flat()) account.set(0);
        expect(budget.usedBytes).toBe(0);
        expect(owners.map((one) => one.usedBytes)).toEqual([0, 0, 0, 0]);
      }),
    );
  });

  it('presses an owner that holds an eighth of what is free, and not one that holds a byte less', () => {
    const budget = new ByteBudget(900);
    const account = new BudgetAccount(budget.createOwner());
    account.set(99);
    expect(account.owner.isPressed).toBe(false);
    account.set(100);
    expect(account.owner.isPressed).toBe(true);
    account.set(99);
    expect(account.owner.isPressed).toBe(false);
  });

  it('stops one greedy owner at a ninth, however many queues it has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_536 }), fc.integer({ min: 1, max: 50 }), (chunk, queues) => {
        const budget = new ByteBudget(LIMIT_BYTES);
        fillGreedily(budget.createOwner(), chunk, queues);
        expect(budget.usedBytes).toBeGreaterThanOrEqual(LIMIT_BYTES / 9);
        expect(budget.usedBytes).toBeLessThan(LIMIT_BYTES / 9 + chunk);
      }),
    );
  });

  it('leaves room for an owner that holds nothing while greedy ones fill up, and never exceeds the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 9 }), (chunks) => {
        const budget = new ByteBudget(LIMIT_BYTES);
        for (const chunk of chunks) {
          fillGreedily(budget.createOwner(), chunk);
          expect(budget.createOwner().isPressed).toBe(false);
          expect(budget.usedBytes).toBeLessThan(LIMIT_BYTES);
        }
      }),
    );
  });

  it('leaves a thirtieth after thirty owners that fill up one after the other', () => {
    const budget = new ByteBudget(33_554_432);
    for (let owner = 0; owner < 30; owner++) fillGreedily(budget.createOwner(), 4096);
    expect(budget.limitBytes - budget.usedBytes).toBeGreaterThan(33_554_432 / 40);
  });

  it('lets an owner use what another gave back', () => {
    const budget = new ByteBudget(1000);
    const [greedy] = fillGreedily(budget.createOwner(), 1);
    const [modest] = fillGreedily(budget.createOwner(), 1);
    expect(modest?.owner.isPressed).toBe(true);
    greedy?.set(0);
    expect(modest?.owner.isPressed).toBe(false);
    expect(budget.usedBytes).toBe(modest?.owner.usedBytes);
  });
});
