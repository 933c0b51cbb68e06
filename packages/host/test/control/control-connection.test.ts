import { once } from 'node:events';
import { createHostIdentity, type ControlMessage } from '@openchambery/protocol';
import { FakeClock, Inbox } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createControlOpener, type ControlConnection } from '../../src/control/control-connection.ts';
import type { ControlEnd } from '../../src/control/control-end.ts';
import { createRelayDoor } from '../../src/relay/relay-door.ts';
import { startFakeRelay } from '../support/fake-relay.ts';

const IDENTITY = await createHostIdentity();
const SYNC = '{"type":"sync","connectionIds":[]}';

/** The next ping, and the end of patience; breaking off leaves the former alone until the socket is gone. */
const TIMERS_OF_A_LIVING_ONE = 2;

interface Stage {
  readonly clock: FakeClock;
  readonly control: ControlConnection;
  /** The relay's end. */
  readonly peer: WebSocket;
  readonly messages: Inbox<ControlMessage>;
  readonly ended: Promise<ControlEnd>;
}

async function connect(): Promise<Stage> {
  const clock = new FakeClock(Date.now());
  const relay = await startFakeRelay();
  const openDoor = createRelayDoor({ relayUrl: relay.url, identity: IDENTITY, clock });
  const messages = new Inbox<ControlMessage>('control messages', ({ type }) => type);
  const { promise: ended, resolve } = Promise.withResolvers<ControlEnd>();
  const control = createControlOpener(
    openDoor,
    clock,
  )({
    onMessage: (message) => messages.push(message),
    onEnd: resolve,
  });
  const { socket, upgrade } = await relay.arrivals.take();
  expect(upgrade).toMatchObject({ role: 'host-control', serverId: IDENTITY.serverId });
  return { clock, control, peer: socket, messages, ended };
}

/** A control connection that has had its sync. */
async function connectAndSync(): Promise<Stage> {
  const stage = await connect();
  stage.peer.send(SYNC);
  await stage.messages.take();
  return stage;
}

test('reports what the relay says, and ignores what it does not know', async () => {
  const { peer, messages, ended } = await connectAndSync();
  const connectionId = 'AAAAAAAAAAAAAAAAAAAAAA';
  for (const text of [
    '{"type":"weather","connectionId":"AAAAAAAAAAAAAAAAAAAAAA"}',
    'no JSON',
    '{"type":"connected","connectionId":"too short"}',
    '{"type":"connected","connectionId":"AAAAAAAAAAAAAAAAAAAAAA","new":1}',
  ]) {
    peer.send(text);
  }
  peer.send(Buffer.from(SYNC), { binary: true });
  peer.send(JSON.stringify({ type: 'disconnected', connectionId }));
  expect(await messages.take()).toEqual({ type: 'connected', connectionId });
  expect(await messages.take()).toEqual({ type: 'disconnected', connectionId });
  peer.close(4001, 'replaced by a newer control connection');
  expect(await ended).toEqual({
    kind: 'closed',
    code: 4001,
    reason: 'replaced by a newer control connection',
  });
});

test('believes nothing before the sync', async () => {
  const { peer, messages } = await connect();
  peer.send('{"type":"connected","connectionId":"AAAAAAAAAAAAAAAAAAAAAA"}');
  peer.send(SYNC);
  expect(await messages.take()).toEqual({ type: 'sync', connectionIds: [] });
});

test('gives up 10 s after the upgrade when no sync comes', async () => {
  const { clock, peer, ended } = await connect();
  peer.send('{"hello":"from another service"}');
  const pong = once(peer, 'pong');
  peer.ping();
  await pong;
  clock.advance(9999);
  expect(peer.readyState).toBe(1);
  clock.advance(1);
  expect(await ended).toMatchObject({ kind: 'dead', reason: expect.stringContaining('another service') });
  expect(clock.pendingTimers).toBe(0);
});

test('pings every 30 s', async () => {
  const { clock, peer, control, messages, ended } = await connectAndSync();
  for (let round = 0; round < 3; round++) {
    const ping = once(peer, 'ping');
    clock.advance(30_000);
    await ping;
    // The pong is there once a message behind it is.
    peer.send(SYNC);
    await messages.take();
  }
  control.close('enough');
  await ended;
  expect(clock.pendingTimers).toBe(0);
});

test('breaks off after 40 s of silence', async () => {
  const { clock, peer, ended } = await connectAndSync();
  peer.pause();
  clock.advance(39_999);
  expect(clock.pendingTimers).toBe(TIMERS_OF_A_LIVING_ONE);
  clock.advance(1);
  expect(await ended).toEqual({ kind: 'dead', reason: 'the relay was silent for 40 s' });
  expect(clock.pendingTimers).toBe(0);
});

test.each(['message', 'ping', 'pong'] as const)('takes a %s for a sign of life', async (sign) => {
  const { clock, peer, messages, ended } = await connectAndSync();
  clock.advance(20_000);
  if (sign === 'message') peer.send('unknown');
  else peer[sign]();
  peer.send(SYNC);
  await messages.take();
  peer.pause();
  clock.advance(39_999);
  expect(clock.pendingTimers).toBe(TIMERS_OF_A_LIVING_ONE);
  clock.advance(1);
  expect(await ended).toMatchObject({ kind: 'dead' });
});

test('closes with a close frame, and after 5 s without an answer at once', async () => {
  const polite = await connectAndSync();
  const closed = once(polite.peer, 'close');
  polite.control.close('the Host was stopped');
  polite.control.close('again');
  const [code, reason] = (await closed) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([1000, 'the Host was stopped']);
  expect(await polite.ended).toEqual({ kind: 'dead', reason: 'the Host was stopped' });
  expect(polite.clock.pendingTimers).toBe(0);

  const rude = await connectAndSync();
  rude.peer.pause();
  rude.control.close('the Host was stopped');
  rude.clock.advance(5000);
  expect(await rude.ended).toEqual({ kind: 'dead', reason: 'the Host was stopped' });
  expect(rude.clock.pendingTimers).toBe(0);
});

test('gives up dialling when closed', async () => {
  const clock = new FakeClock();
  const openDoor = createRelayDoor({ relayUrl: 'ws://127.0.0.1:9/ws', identity: IDENTITY, clock });
  const { promise: ended, resolve } = Promise.withResolvers<ControlEnd>();
  const control = createControlOpener(openDoor, clock)({ onMessage: () => undefined, onEnd: resolve });
  control.close('the Host was stopped');
  expect(await ended).toEqual({ kind: 'dead', reason: 'the Host was stopped' });
  expect(clock.pendingTimers).toBe(0);
});
