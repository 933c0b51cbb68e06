import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { Heartbeat } from '../../src/connection/heartbeat.ts';
import type { RelaySocket } from '../../src/connection/relay-socket.ts';

const intervalMs = 1000;

interface Probed {
  readonly socket: RelaySocket;
  /** When it was probed, in ms. */
  readonly beats: number[];
}

function setUp(): {
  clock: FakeClock;
  heartbeat: Heartbeat;
  turns: (() => void)[];
  make: (onBeat?: () => void) => Probed;
} {
  const clock = new FakeClock();
  const turns: (() => void)[] = [];
  const heartbeat = new Heartbeat({ clock, intervalMs, nextTurn: (callback) => void turns.push(callback) });
  const make = (onBeat?: () => void): Probed => {
    const beats: number[] = [];
    const beat = (): void => {
      beats.push(clock.monotonicMs());
      onBeat?.();
    };
    return { socket: { beat } as unknown as RelaySocket, beats };
  };
  return { clock, heartbeat, turns, make };
}

describe('Heartbeat', () => {
  it('probes each socket once per interval, counted from its own arrival', () => {
    const { clock, heartbeat, make } = setUp();
    const [first, second] = [make(), make()];
    heartbeat.add(first.socket);
    clock.advance(300);
    heartbeat.add(second.socket);
    clock.advance(2999);
    expect(first.beats).toEqual([1000, 2000, 3000]);
    expect(second.beats).toEqual([1300, 2300]);
  });

  it('has one timer for all sockets, and none without sockets', () => {
    const { clock, heartbeat, make } = setUp();
    const probed = Array.from({ length: 20 }, () => make());
    for (const { socket } of probed) {
      heartbeat.add(socket);
      clock.advance(7);
      expect(clock.pendingTimers).toBe(1);
    }
    clock.advance(5000);
    expect(clock.pendingTimers).toBe(1);
    for (const { socket } of probed) heartbeat.remove(socket);
    expect(clock.pendingTimers).toBe(0);
  });

  it('probes sockets that came together in batches, one per turn of the event loop', () => {
    const { clock, heartbeat, turns, make } = setUp();
    const probed = Array.from({ length: 80 }, () => make());
    for (const { socket } of probed) heartbeat.add(socket);
    const count = (): number => probed.filter(({ beats }) => beats.length > 0).length;
    clock.advance(intervalMs);
    const counted = [count()];
    while (turns.length > 0) {
      turns.shift()?.();
      counted.push(count());
    }
    expect(counted).toEqual([32, 64, 80]);
    expect(probed.every(({ beats }) => beats.length === 1)).toBe(true);
  });

  it('probes a socket that goes and comes back between batches only when it is due again', () => {
    const { clock, heartbeat, turns, make } = setUp();
    const probed = Array.from({ length: 40 }, () => make());
    for (const { socket } of probed) heartbeat.add(socket);
    clock.advance(intervalMs);
    const last = probed[39] as Probed;
    heartbeat.remove(last.socket);
    heartbeat.add(last.socket);
    turns.shift()?.();
    expect(last.beats).toEqual([]);
    clock.advance(intervalMs);
    while (turns.length > 0) turns.shift()?.();
    expect(last.beats).toEqual([2000]);
  });

  it('lets a probe remove any socket, its own included', () => {
    const { clock, heartbeat, make } = setUp();
    const third = make();
    const second = make();
    const first = make(() => {
      heartbeat.remove(first.socket);
      heartbeat.remove(second.socket);
    });
    for (const { socket } of [first, second, third]) heartbeat.add(socket);
    clock.advance(2 * intervalMs);
    expect([first.beats, second.beats, third.beats]).toEqual([[1000], [], [1000, 2000]]);
  });

  it('keeps no timer when a probe removes the last socket', () => {
    const { clock, heartbeat, make } = setUp();
    const only = make(() => heartbeat.remove(only.socket));
    heartbeat.add(only.socket);
    clock.advance(intervalMs);
    expect([only.beats.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('starts anew when all sockets went while a batch was put off', () => {
    const { clock, heartbeat, turns, make } = setUp();
    const probed = Array.from({ length: 33 }, () => make());
    for (const { socket } of probed) heartbeat.add(socket);
    clock.advance(intervalMs);
    for (const { socket } of probed) heartbeat.remove(socket);
    const late = make();
    heartbeat.add(late.socket);
    while (turns.length > 0) turns.shift()?.();
    expect(clock.pendingTimers).toBe(1);
    clock.advance(intervalMs);
    expect(late.beats).toEqual([2000]);
  });

  it('does not beat twice to make up for time that the process stood still', () => {
    const { clock, heartbeat, make } = setUp();
    const only = make();
    heartbeat.add(only.socket);
    // A timer that fires late: the machine slept.
    const late = new FakeClock();
    const slow = new Heartbeat({
      clock: {
        epochMs: () => late.epochMs(),
        monotonicMs: () => late.monotonicMs() * 5,
        setTimer: (callback, delayMs) => late.setTimer(callback, delayMs),
      },
      intervalMs,
      nextTurn: (callback) => callback(),
    });
    const sleeper = make();
    slow.add(sleeper.socket);
    late.advance(intervalMs);
    expect(sleeper.beats).toHaveLength(1);
    expect(clock.pendingTimers).toBe(1);
  });
});
