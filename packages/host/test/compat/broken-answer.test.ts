import { delay, PEER_FRAME } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import { makeWorld, standingClock } from './world.ts';

test('StreamAbort goes after the bytes that were buffered before it', async () => {
  const { connect, origin } = await makeWorld({ clock: standingClock() });
  const client = await connect();
  const id = client.ask({ path: '/slow' });
  const held = await origin.nextHeld();
  held.begin();
  await client.nextFrame({ id, type: PEER_FRAME.httpResponse });
  await held.write('said before it broke');
  // The Host has read it long since; it waits for the window of 150 ms, which this clock never ends.
  await delay(100);
  held.reset();
  const frames = [await client.nextFrame({ id }), await client.nextFrame({ id })];
  expect(frames.map(({ type }) => type)).toEqual([PEER_FRAME.httpBody, PEER_FRAME.streamAbort]);
});
