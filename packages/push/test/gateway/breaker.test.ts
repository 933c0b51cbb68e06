import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { Breaker } from '../../src/gateway/breaker.ts';

function broken(): { clock: FakeClock; breaker: Breaker } {
  const clock = new FakeClock();
  const breaker = new Breaker(clock);
  for (let count = 0; count < 10; count += 1) breaker.settle('configuration-fault', breaker.admit());
  return { clock, breaker };
}

describe('Breaker', () => {
  it('opens at the tenth configuration fault in a row', () => {
    const breaker = new Breaker(new FakeClock());
    for (let count = 0; count < 9; count += 1) breaker.settle('configuration-fault', 'pass');
    expect(breaker.admit()).toBe('pass');
    breaker.settle('configuration-fault', 'pass');
    expect(breaker.admit()).toBe('refuse');
  });

  it('begins anew with an accepted push, and with no other outcome', () => {
    const breaker = new Breaker(new FakeClock());
    for (let count = 0; count < 9; count += 1) breaker.settle('configuration-fault', 'pass');
    breaker.settle('accepted', 'pass');
    for (let count = 0; count < 9; count += 1) breaker.settle('configuration-fault', 'pass');
    for (const kind of ['dead', 'mismatch', 'request-fault', 'later', 'unknown'] as const) {
      breaker.settle(kind, 'pass');
    }
    expect(breaker.admit()).toBe('pass');
    breaker.settle('configuration-fault', 'pass');
    expect(breaker.admit()).toBe('refuse');
  });

  it('lets one at a time try after 30 s', () => {
    const { clock, breaker } = broken();
    clock.advance(29_999);
    expect(breaker.admit()).toBe('refuse');
    clock.advance(1);
    expect(breaker.admit()).toBe('trial');
    expect(breaker.admit()).toBe('refuse');
  });

  it('rests for another 30 s when the trial meets the fault again', () => {
    const { clock, breaker } = broken();
    clock.advance(30_000);
    breaker.settle('configuration-fault', breaker.admit());
    expect(breaker.admit()).toBe('refuse');
    clock.advance(29_999);
    expect(breaker.admit()).toBe('refuse');
    clock.advance(1);
    expect(breaker.admit()).toBe('trial');
  });

  it('lets the next one try when the trial says nothing about the configuration', () => {
    const { clock, breaker } = broken();
    clock.advance(30_000);
    breaker.settle('later', breaker.admit());
    expect(breaker.admit()).toBe('trial');
  });

  it('closes with any accepted push, also one that was under way before it opened', () => {
    const { breaker } = broken();
    breaker.settle('accepted', 'pass');
    expect(breaker.admit()).toBe('pass');
  });

  it('does not rest longer for faults of pushes that were under way', () => {
    const { clock, breaker } = broken();
    clock.advance(20_000);
    breaker.settle('configuration-fault', 'pass');
    clock.advance(10_000);
    expect(breaker.admit()).toBe('trial');
    breaker.settle('configuration-fault', 'pass');
    breaker.settle('later', 'pass');
    expect(breaker.admit()).toBe('refuse');
  });
});
