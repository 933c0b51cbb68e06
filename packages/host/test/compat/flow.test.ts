import { once } from 'node:events';
import { delay, patternPiece, PEER_FRAME } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import { expectAlive, makeWorld } from './world.ts';

/** What may wait at the Host, at the relay, and in the buffers of four kernel sockets, with room to spare. */
const MOST_UNDER_WAY_BYTES = 40_000_000;

test('a Client that does not read stops the origin, and gets every byte later', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  const id = client.ask({ path: '/slow' });
  const held = await origin.nextHeld();
  held.begin();
  await client.nextFrame({ id, type: PEER_FRAME.httpResponse });
  client.peer.pause();
  let written = 0;
  for (;;) {
    const piece = patternPiece(written, 65_536);
    const isOpen = await Promise.race([held.write(piece).then(() => true), delay(1500).then(() => false)]);
    written += piece.length;
    if (!isOpen) break;
    expect(written).toBeLessThan(MOST_UNDER_WAY_BYTES);
  }
  held.end();
  client.peer.resume();
  let offset = 0;
  for (;;) {
    const { type, payload } = await client.nextFrame({ id });
    if (type === PEER_FRAME.streamEnd) break;
    expect(payload.equals(patternPiece(offset, payload.length))).toBe(true);
    offset += payload.length;
  }
  expect(offset).toBe(written);
});

test('a Client that does not read holds up no other Client', async () => {
  const { connect } = await makeWorld();
  const [deaf, other] = [await connect(), await connect()];
  deaf.ask({ path: '/bytes/100000000' });
  await deaf.nextFrame({ type: PEER_FRAME.httpBody });
  deaf.peer.pause();
  await delay(200);
  for (let time = 0; time < 20; time += 1) await expectAlive(other);
  deaf.peer.terminate();
  await expectAlive(other);
});

test('an upload that the origin does not read costs the Host no memory without bound', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  const id = client.takeId();
  const head = { method: 'POST', path: '/deaf', query: '', headers: {} };
  void client.sendFrame(PEER_FRAME.httpRequest, id, head);
  const held = await origin.nextHeld();
  let sent = 0;
  // Either the socket stops taking bytes, or the stream is given up.
  const aborted = client.nextFrame({ id, timeoutMs: 60_000 }).then(({ type }) => type);
  aborted.catch(() => 'ends with the world');
  for (let isOpen = true; isOpen; ) {
    const sending = client.sendFrame(PEER_FRAME.httpBody, id, Buffer.alloc(60_000)).then(() => true);
    isOpen = await Promise.race([sending, aborted.then(() => false), delay(1500).then(() => false)]);
    sent += 60_000;
    expect(sent).toBeLessThan(MOST_UNDER_WAY_BYTES);
  }
  held.incoming.resume();
  await Promise.race([once(held.incoming, 'data'), held.abandoned()]);
});
