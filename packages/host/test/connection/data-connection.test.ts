import { eventually } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { RelayHost } from '../../src/relay-host.ts';
import { startFakeRelay, type Arrival, type FakeRelay } from '../support/fake-relay.ts';
import { KEYS, makeHost } from '../support/relay-stage.ts';
import { WatchedClock } from '../support/watched-clock.ts';

const ONE = 'AAAAAAAAAAAAAAAAAAAAAA';
const TWO = 'AAAAAAAAAAAAAAAAAAAAAQ';

/** The next ping on control, and the end of patience with it, in ms: what runs when nothing else is going on. */
const QUIET = [30_000, 40_000];
/** How long a Client may take to say hello, in ms. */
const HELLO_MS = 30_000;
/** How long a socket waits for the answer to its close frame, in ms. */
const CLOSE_MS = 5_000;

interface Stage {
  readonly clock: WatchedClock;
  readonly relay: FakeRelay;
  readonly host: RelayHost;
  readonly control: WebSocket;
  say(message: object): void;
  nextData(): Promise<Arrival>;
}

async function start(options: { readonly maxConnections?: number } = {}): Promise<Stage> {
  const clock = new WatchedClock(Date.now());
  const relay = await startFakeRelay();
  const host = makeHost({ relayUrl: relay.url, clock, ...options });
  host.start();
  const { socket: control } = await relay.arrivals.take();
  const say = (message: object): void => control.send(JSON.stringify(message));
  say({ type: 'sync', connectionIds: [] });
  await host.connected();
  return { clock, relay, host, control, say, nextData: () => relay.arrivals.take() };
}

/** Resolves when the Host waits for these, and for nothing else. */
async function waitingFor({ clock }: Stage, ...delaysMs: readonly number[]): Promise<void> {
  const expected = [...QUIET, ...delaysMs].toSorted((one, other) => one - other);
  await eventually(() => expect(clock.delays).toEqual(expected), { everyMs: 2 });
}

/** Resolves when the Host has taken in all that the relay has said. */
async function settle({ control }: Stage): Promise<void> {
  const ponged = new Promise((resolve) => {
    control.once('pong', resolve);
  });
  control.ping();
  await ponged;
}

test('dials for each Client once, however often it is announced', async () => {
  const stage = await start();
  stage.say({ type: 'connected', connectionId: ONE });
  stage.say({ type: 'connected', connectionId: ONE });
  stage.say({ type: 'sync', connectionIds: [ONE, ONE] });
  stage.say({ type: 'disconnected', connectionId: TWO });
  stage.say({ type: 'connected', connectionId: TWO });
  const { upgrade } = await stage.nextData();
  expect(upgrade).toMatchObject({ role: 'host-data', serverId: KEYS.signing.serverId });
  const ids = [upgrade, (await stage.nextData()).upgrade].map(
    (each) => 'connectionId' in each && each.connectionId,
  );
  expect(new Set(ids)).toEqual(new Set([ONE, TWO]));
  await settle(stage);
  expect(stage.relay.arrivals.total).toBe(3);
});

test('signs each upgrade for a time of its own, even within one ms', async () => {
  const stage = await start();
  stage.say({ type: 'sync', connectionIds: [ONE, TWO] });
  const times = [await stage.nextData(), await stage.nextData()].map(({ upgrade }) =>
    'ts' in upgrade ? upgrade.ts : '',
  );
  expect(new Set(times).size).toBe(2);
});

test.each([
  [1000, 'the Client left', undefined],
  [1012, 'away', undefined],
  [4001, 'replaced', undefined],
  [4002, 'nobody waits', undefined],
  [1008, 'malformed', 'malformed'],
  [4010, 'auth: timestamp', 'auth: timestamp'],
  [4029, 'limit of one address', 'limit of one address'],
])('does not dial again after %i', async (code, reason, lastError) => {
  const stage = await start();
  stage.say({ type: 'connected', connectionId: ONE });
  const { socket } = await stage.nextData();
  socket.close(code, reason);
  await waitingFor(stage);
  expect(stage.host.snapshot()).toMatchObject({ connections: 0, lastError });
  stage.say({ type: 'connected', connectionId: ONE });
  await stage.nextData();
});

test.each([
  ['closed with 1013', (socket: WebSocket): void => socket.close(1013, 'the relay is full')],
  ['broken off', (socket: WebSocket): void => socket.terminate()],
])('dials again a few times, ever slower, when the connection is %s before a word', async (_how, end) => {
  const stage = await start();
  const { clock } = stage;
  stage.say({ type: 'connected', connectionId: ONE });
  for (const delayMs of [200, 500, 1000, 2000, 4000]) {
    const { socket } = await stage.nextData();
    end(socket);
    await waitingFor(stage, delayMs);
    clock.advance(delayMs - 1);
    await waitingFor(stage, delayMs);
    clock.advance(1);
  }
  end((await stage.nextData()).socket);
  await waitingFor(stage);
  expect(stage.host.snapshot().lastError).toMatch(/^no data connection to the relay: /);
  expect(stage.relay.arrivals.total).toBe(1 + 6);
});

test('stops dialling when the Client is gone', async () => {
  const stage = await start();
  stage.say({ type: 'connected', connectionId: ONE });
  const { socket } = await stage.nextData();
  socket.terminate();
  await waitingFor(stage, 200);
  stage.say({ type: 'disconnected', connectionId: ONE });
  await waitingFor(stage);
  expect(stage.host.snapshot().lastError).toBeUndefined();
});

test('closes a socket that lives on 10 s after its Client was gone', async () => {
  const stage = await start();
  stage.say({ type: 'connected', connectionId: ONE });
  const { socket } = await stage.nextData();
  const closed = new Promise<[number, string]>((resolve) => {
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
  await waitingFor(stage, HELLO_MS);
  stage.say({ type: 'disconnected', connectionId: ONE });
  stage.say({ type: 'disconnected', connectionId: ONE });
  await waitingFor(stage, HELLO_MS, 10_000);
  stage.clock.advance(9999);
  await settle(stage);
  expect(socket.readyState).toBe(socket.OPEN);
  stage.clock.advance(1);
  expect(await closed).toEqual([1000, 'the Client went away']);
});

test('counts Clients beyond maxConnections and dials for none of them', async () => {
  const stage = await start({ maxConnections: 1 });
  stage.say({ type: 'sync', connectionIds: [ONE, TWO] });
  const { socket } = await stage.nextData();
  await settle(stage);
  expect(stage.host.snapshot()).toMatchObject({
    turnedAwayConnections: 1,
    lastError: 'a Client was left out: there are 1 already',
  });
  socket.close(1000);
  await waitingFor(stage);
  stage.say({ type: 'connected', connectionId: TWO });
  expect((await stage.nextData()).upgrade).toMatchObject({ connectionId: TWO });
});

test('does not dial for Clients that are announced while it stops', async () => {
  const stage = await start();
  const stopped = stage.host.stop();
  stage.say({ type: 'connected', connectionId: ONE });
  await stopped;
  expect(stage.relay.arrivals.total).toBe(1);
  expect(stage.clock.pendingTimers).toBe(0);
});

test.each(['dialling', 'waiting to dial again', 'waiting for a hello'])(
  'stops while it is %s',
  async (phase) => {
    const stage = await start();
    stage.say({ type: 'connected', connectionId: ONE });
    if (phase === 'dialling') await settle(stage);
    else {
      const { socket } = await stage.nextData();
      if (phase === 'waiting to dial again') socket.terminate();
      await waitingFor(stage, phase === 'waiting to dial again' ? 200 : HELLO_MS);
    }
    await stage.host.stop();
    expect(stage.clock.delays).toEqual([]);
  },
);

test('has not stopped before its data sockets are gone, whether the relay answers their close or not', async () => {
  const stage = await start();
  stage.say({ type: 'connected', connectionId: ONE });
  const { socket } = await stage.nextData();
  await waitingFor(stage, HELLO_MS);
  // It does not read the close frame, and so does not answer it.
  socket.pause();
  let hasStopped = false;
  const stop = async (): Promise<void> => {
    await stage.host.stop();
    hasStopped = true;
  };
  const stopped = stop();
  await eventually(() => expect(stage.clock.delays).toEqual([CLOSE_MS]), { everyMs: 2 });
  expect(hasStopped).toBe(false);
  stage.clock.advance(CLOSE_MS);
  await stopped;
  expect(stage.clock.delays).toEqual([]);
});
