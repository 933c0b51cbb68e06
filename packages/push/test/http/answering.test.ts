import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FakeClock } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { Answering } from '../../src/http/answering.ts';

function makeResponse(): ServerResponse {
  // Of a response, it is its end alone that counts here.
  return new EventEmitter() as ServerResponse;
}

async function isDone(waiting: Promise<void>): Promise<boolean> {
  return Promise.race([
    waiting.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

it('does not wait where nothing is being answered', async () => {
  const clock = new FakeClock();
  await new Answering().whenEmpty((resolve) => clock.setTimer(resolve, 100));
  expect(clock.pendingTimers).toBe(0);
});

it('waits until the last answer is written, and leaves no timer', async () => {
  const clock = new FakeClock();
  const answering = new Answering();
  const [first, second] = [makeResponse(), makeResponse()];
  answering.add(first);
  answering.add(second);
  const waiting = answering.whenEmpty((resolve) => clock.setTimer(resolve, 100));
  first.emit('close');
  expect(await isDone(waiting)).toBe(false);
  second.emit('close');
  expect(await isDone(waiting)).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});

it('waits no longer than the timer', async () => {
  const clock = new FakeClock();
  const answering = new Answering();
  const response = makeResponse();
  answering.add(response);
  const waiting = answering.whenEmpty((resolve) => clock.setTimer(resolve, 100));
  clock.advance(99);
  expect(await isDone(waiting)).toBe(false);
  clock.advance(1);
  expect(await isDone(waiting)).toBe(true);
  response.emit('close');
});
