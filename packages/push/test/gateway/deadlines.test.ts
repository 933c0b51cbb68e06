import { randomUUID } from 'node:crypto';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/gateway/deadlines.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { DeliveryQueue } from '../../src/gateway/delivery-queue.ts';

function makeDelivery(deadlineMs: number): Delivery {
  return new Delivery({
    notification: {
      id: randomUUID(),
      token: 'ab',
      kind: 'alert',
      payload: Buffer.alloc(0),
      deadlineMs,
    },
    admission: 'pass',
    resolve: () => undefined,
  });
}

/** A clock whose process can be held up: time passes without timers. */
class StallingClock extends FakeClock {
  stalledMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.stalledMs;
  }
}

describe('Deadlines', () => {
  it('passes each at its time and at most 20 ms later, in any order, with one timer', () => {
    const clock = new FakeClock();
    const passed: [number, number][] = [];
    const deadlines = new Deadlines(clock, ({ notification }) =>
      passed.push([notification.deadlineMs, clock.monotonicMs()]),
    );
    const times = [5000, 1, 333, 20, 19, 21, 4999, 333];
    for (const deadlineMs of times) deadlines.add(makeDelivery(deadlineMs));
    expect(clock.pendingTimers).toBe(1);
    clock.advance(6000);
    expect(passed.map(([deadlineMs]) => deadlineMs)).toHaveLength(times.length);
    for (const [deadlineMs, atMs] of passed) {
      expect(atMs).toBeGreaterThanOrEqual(deadlineMs);
      expect(atMs).toBeLessThanOrEqual(deadlineMs + 20);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('forgets what is deleted, and its timer with the last', () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock, () => {
      throw new Error('passed');
    });
    const [one, two] = [makeDelivery(100), makeDelivery(100)];
    deadlines.add(one);
    deadlines.add(two);
    deadlines.delete(one);
    expect(clock.pendingTimers).toBe(1);
    deadlines.delete(two);
    deadlines.delete(two);
    expect(clock.pendingTimers).toBe(0);
    clock.advance(1000);
  });

  it('gives a process that was held up one more tick to read what has come', () => {
    const clock = new StallingClock();
    let passedCount = 0;
    const deadlines = new Deadlines(clock, () => (passedCount += 1));
    deadlines.add(makeDelivery(100));
    deadlines.add(makeDelivery(200));
    clock.stalledMs = 5000;
    clock.advance(20);
    expect(passedCount).toBe(0);
    clock.advance(20);
    expect(passedCount).toBe(2);
  });
});

describe('DeliveryQueue', () => {
  it('keeps order through removals anywhere and returns to its front', () => {
    const queue = new DeliveryQueue();
    const deliveries = [0, 1, 2, 3, 4].map((deadlineMs) => makeDelivery(deadlineMs));
    for (const delivery of deliveries) queue.push(delivery);
    const take = (): number | undefined => {
      const { first } = queue;
      if (first !== undefined) queue.remove(first);
      return first?.notification.deadlineMs;
    };
    const [, , middle, , last] = deliveries;
    if (middle === undefined || last === undefined) throw new Error('five were made');
    queue.remove(middle);
    queue.remove(last);
    expect(queue.size).toBe(3);
    queue.unshift(last);
    queue.push(middle);
    expect([take(), take(), take(), take(), take(), take()]).toEqual([4, 0, 1, 3, 2, undefined]);
    expect(queue.size).toBe(0);
    queue.unshift(middle);
    queue.push(last);
    expect([take(), take()]).toEqual([2, 4]);
  });
});
