import { delay, eventually } from '@openchambery/testkit';
import type { ProxiedConnection } from '@openchambery/testkit';
import { expect } from 'vitest';
import type { LeapClock } from './leap-clock.ts';

/** Longer than anything that is waited for by leaps, in ms of the clock that leaps. */
const FOREVER_MS = 200_000;

/** How many looks in a row, and how far apart in ms, make a standstill. */
const LOOKS = 3;
const LOOK_MS = 100;

/** Calls `act` again and again, one after the other, until something has happened. Rejects if that does. */
export async function repeatUntil(happened: Promise<unknown>, act: () => Promise<void>): Promise<void> {
  const state = { isOver: false };
  const watch = async (): Promise<void> => {
    try {
      await happened;
    } finally {
      state.isOver = true;
    }
  };
  const over = watch();
  while (!state.isOver) await act();
  await over;
}

/** Moves a clock on second by second, with turns for the network, until something has happened; the time it took. */
export async function leapUntil(clock: LeapClock, happened: Promise<unknown>): Promise<number> {
  const startedAt = clock.monotonicMs();
  await repeatUntil(happened, async () => {
    if (clock.monotonicMs() - startedAt < FOREVER_MS) clock.leap(1000);
    await delay(1);
  });
  return clock.monotonicMs() - startedAt;
}

/** Moves a Host's clock on by 30 s, in which it pings its relay, and waits for the answer. */
export async function leapToPong(hostClock: LeapClock, control: ProxiedConnection): Promise<void> {
  const before = control.traffic.toClient.deliveredBytes;
  hostClock.leap(30_000);
  await control.passed('toClient', before + 1);
  // What the proxy has delivered is read in one of the next turns.
  await delay(5);
}

/** Resolves when a count of bytes no longer grows: buffers whose size nobody tells are full. */
export async function standstill(bytes: () => number): Promise<void> {
  await eventually(async () => {
    const before = bytes();
    for (let looks = 1; looks <= LOOKS; looks++) {
      await delay(LOOK_MS);
      expect(bytes()).toBe(before);
    }
  });
}
