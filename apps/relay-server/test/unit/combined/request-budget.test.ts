import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { RequestBudget } from '../../../src/combined/request-budget.ts';

function scenario() {
  const clock = new FakeClock();
  const log: [Record<string, unknown>, string][] = [];
  const ignore = (): void => undefined;
  const warn = (fields: Record<string, unknown>, message: string): void => void log.push([fields, message]);
  const budget = new RequestBudget({
    clock,
    logger: { debug: ignore, info: ignore, warn, error: ignore },
    limits: { registerLimitPerMinute: 2, sendLimitPerMinute: 3 },
  });
  return { clock, log, budget };
}

describe('the budget of requests', () => {
  it('is ten times what an IP may register and send in a minute', () => {
    const { clock, budget, log } = scenario();
    for (let count = 0; count < 50; count += 1) expect(budget.admits('192.0.2.1')).toBe(true);
    expect(log).toEqual([]);
    expect(budget.admits('192.0.2.1')).toBe(false);
    expect(budget.admits('192.0.2.2')).toBe(true);
    clock.advance(59_999);
    expect(budget.admits('192.0.2.1')).toBe(false);
    clock.advance(1);
    expect(budget.admits('192.0.2.1')).toBe(true);
  });

  it('is told in the log when it is used up, not each time', () => {
    const { budget, log } = scenario();
    for (let count = 0; count < 1000; count += 1) budget.admits('192.0.2.1');
    expect(log).toHaveLength(20);
    expect(log[0]).toEqual([
      { ip: '192.0.2.1', cause: 'push-rate', reason: 'more than 50 requests to push in a minute' },
      'connection dropped',
    ]);
  });
});
