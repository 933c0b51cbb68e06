import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { Newcomers } from '../../src/http/newcomers.ts';

function setUp(count: number) {
  const clock = new FakeClock();
  const newcomers = new Newcomers(clock);
  const sockets = Array.from({ length: count }, () => new Socket());
  for (const socket of sockets) newcomers.add(socket);
  let isEmpty = false;
  const watch = (): void => void newcomers.whenEmpty().then(() => (isEmpty = true));
  const isDone = async (): Promise<boolean> => {
    await turn();
    return isEmpty;
  };
  return { clock, newcomers, sockets, watch, isDone };
}

describe('Newcomers', () => {
  it('are none at first', async () => {
    const { watch, isDone } = setUp(0);
    watch();
    expect(await isDone()).toBe(true);
  });

  it('are waited for until the last one has been answered or is gone', async () => {
    const { newcomers, sockets, watch, isDone } = setUp(2);
    watch();
    expect(await isDone()).toBe(false);
    for (const socket of sockets.slice(0, 1)) newcomers.delete(socket);
    expect(await isDone()).toBe(false);
    for (const socket of sockets.slice(1)) socket.destroy();
    expect(await isDone()).toBe(true);
  });

  it('are waited for no longer than 500 ms', async () => {
    const { clock, watch, isDone } = setUp(1);
    watch();
    clock.advance(499);
    expect(await isDone()).toBe(false);
    clock.advance(1);
    expect(await isDone()).toBe(true);
  });

  it('leave no timer behind', async () => {
    const { clock, newcomers, sockets, watch, isDone } = setUp(1);
    watch();
    for (const socket of sockets) newcomers.delete(socket);
    expect([await isDone(), clock.pendingTimers]).toEqual([true, 0]);
  });
});
