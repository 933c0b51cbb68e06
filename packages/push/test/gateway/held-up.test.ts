import { FakeClock } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { Deadlines } from '../../src/gateway/deadlines.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { makeNotification } from '../apns/rig.ts';

it('a deadline is noticed although every turn of the event loop takes 250 ms', () => {
  const fake = new FakeClock();
  // A timer of 20 ms is noticed 250 ms late, each time.
  const clock = {
    epochMs: () => fake.epochMs(),
    monotonicMs: () => fake.monotonicMs(),
    setTimer: (run: () => void, ms: number) => fake.setTimer(run, ms + 250),
  };
  let passedCount = 0;
  const deadlines = new Deadlines(clock, () => (passedCount += 1));
  const notification = makeNotification(fake, { deadlineMs: fake.monotonicMs() + 500 });
  deadlines.add(new Delivery({ notification, admission: 'pass', resolve: () => undefined }));
  for (let i = 0; i < 20; i++) fake.advance(270);
  expect(passedCount).toBe(1);
});
