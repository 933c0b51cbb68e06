import { describe, expect, it } from 'vitest';
import { FakeClock } from '../src/index.ts';

describe('FakeClock', () => {
  it('runs due timers by due time, ties by creation', () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    clock.setTimer(() => ran.push('c'), 20);
    clock.setTimer(() => ran.push('a'), 10);
    clock.setTimer(() => ran.push('b'), 10);
    clock.advance(9);
    expect(ran).toEqual([]);
    clock.advance(1);
    expect(ran).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(10);
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs a timer set by a callback within the same advance, at its own time', () => {
    const clock = new FakeClock();
    const at: number[] = [];
    clock.setTimer(() => {
      at.push(clock.monotonicMs());
      clock.setTimer(() => at.push(clock.monotonicMs()), 5);
    }, 10);
    clock.advance(100);
    expect(at).toEqual([10, 15]);
    expect(clock.monotonicMs()).toBe(100);
  });

  it('never runs a cancelled timer, even one cancelled by an earlier callback', () => {
    const clock = new FakeClock();
    let ran = false;
    const later = clock.setTimer(() => (ran = true), 10);
    clock.setTimer(() => later.cancel(), 5);
    clock.advance(20);
    expect(ran).toBe(false);
    later.cancel();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the wall clock and the monotonic clock apart', () => {
    const clock = new FakeClock(1000);
    clock.advance(50);
    clock.jumpEpoch(-500);
    expect([clock.epochMs(), clock.monotonicMs()]).toEqual([550, 50]);
    clock.setEpoch(9);
    clock.advance(1);
    expect([clock.epochMs(), clock.monotonicMs()]).toEqual([10, 51]);
  });

  it('refuses to go back', () => {
    expect(() => new FakeClock().advance(-1)).toThrow(RangeError);
  });
});
