import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { createSupervision } from '../../../src/systemd/supervision.ts';

const STOPPING = ['STOPPING=1', 'STATUS=Stopping: connections are being closed'];

function setUp(watchdogMs: number | undefined) {
  const clock = new FakeClock();
  const told: (readonly string[])[] = [];
  const notifier = {
    isIdle: true,
    notify: (...assignments: readonly string[]) => void told.push(assignments),
  };
  return { clock, told, notifier, supervision: createSupervision({ watchdogMs, clock, notifier }) };
}

describe('createSupervision', () => {
  it('tells of readiness and of the stop', () => {
    const { told, supervision, clock } = setUp(undefined);
    supervision.ready('Relay listening');
    clock.advance(1e9);
    supervision.stopping();
    expect(told).toEqual([['READY=1', 'STATUS=Relay listening'], STOPPING]);
  });

  it('shows life at half of the time, from readiness on', () => {
    const { told, supervision, clock } = setUp(60_000);
    clock.advance(100_000);
    expect(told).toEqual([]);
    supervision.ready('ready');
    clock.advance(29_999);
    expect(told).toHaveLength(1);
    clock.advance(1);
    expect(told.slice(1)).toEqual([['WATCHDOG=1']]);
    clock.advance(30_000 * 9);
    expect(told).toHaveLength(11);
  });

  it('shows life while it stops, as systemd goes on waiting for it', () => {
    const { told, supervision, clock } = setUp(1000);
    supervision.ready('ready');
    supervision.stopping();
    clock.advance(500);
    expect(told.at(-1)).toEqual(['WATCHDOG=1']);
  });

  it('adds no sign of life to what has not been told yet', () => {
    const { told, supervision, clock, notifier } = setUp(1000);
    supervision.ready('ready');
    notifier.isIdle = false;
    clock.advance(5000);
    expect(told).toHaveLength(1);
    notifier.isIdle = true;
    clock.advance(500);
    expect(told).toHaveLength(2);
  });

  it.each([0.001, 1, 1e300])(
    'waits between 1 ms and what timers can for a watchdog of %d ms',
    (watchdogMs) => {
      const { clock, supervision } = setUp(watchdogMs);
      const delays: number[] = [];
      const setTimer = clock.setTimer.bind(clock);
      clock.setTimer = (callback, delayMs) => {
        delays.push(delayMs);
        return setTimer(callback, delayMs);
      };
      supervision.ready('ready');
      expect(delays[0]).toBeGreaterThanOrEqual(1);
      expect(delays[0]).toBeLessThanOrEqual(0x7fff_ffff);
    },
  );

  it('says nothing where nobody wants to hear', () => {
    const clock = new FakeClock();
    const supervision = createSupervision({ watchdogMs: 10, clock, notifier: undefined });
    supervision.ready('ready');
    supervision.stopping();
    expect(clock.advance(1000)).toBeUndefined();
  });
});
