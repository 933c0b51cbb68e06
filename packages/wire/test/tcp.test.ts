import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { encodeUpgrade, Peer, RawSocket } from '@openchambery/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHandshake, splice, takeOver, WireSocket } from '../src/index.ts';
import { unsentBytes } from '../src/kernel-queue.ts';
import { clientFrame, closeBody, patternBytes } from './support/client-frames.ts';
import { openTcpPair, TcpRig, until } from './support/tcp-rig.ts';
import type { TcpPair } from './support/tcp-rig.ts';
import { createTestContext, Recorder, WIDE_LIMITS } from './support/test-context.ts';
import type { TestContext } from './support/test-context.ts';

/** More than the kernel keeps for one connection on the loopback. */
const FLOOD_BYTES = 32 * 1_048_576;
const MESSAGE = clientFrame({ opcode: 2, payload: patternBytes(65_000) });

let rig: TcpRig;

beforeAll(async () => {
  rig = await TcpRig.open();
});

afterAll(() => rig.close());

function expectNothingLeft(test: TestContext): void {
  expect(test.context.budget.usedBytes).toBe(0);
  expect(test.context.pausedSources.size).toBe(0);
  expect(test.clock.pendingTimers).toBe(0);
}

/** A pair whose target does not read, flooded until the source is no longer read. */
async function openJammed(test: TestContext): Promise<TcpPair> {
  const pair = await openTcpPair(rig, test);
  pair.target.far.pause();
  for (let sent = 0; sent < FLOOD_BYTES; sent += MESSAGE.length) void pair.source.far.write(MESSAGE);
  await until('the source is paused', () => test.context.pausedSources.size === 1);
  return pair;
}

async function end({ source, target }: TcpPair): Promise<void> {
  source.far.destroy();
  target.far.destroy();
  await Promise.all([source.heard.gone, target.heard.gone]);
}

describe('a pair over TCP', () => {
  it('keeps a bounded queue for a receiver that stops, and delivers everything when it goes on', async () => {
    const test = createTestContext({ realTurns: true });
    const pair = await openJammed(test);
    const { source, target } = pair;
    // One read more, as the mark is looked at behind it.
    const most = WIDE_LIMITS.highWaterBytes + test.context.blocks.blockBytes;
    expect(target.wire.waitingBytes).toBeGreaterThanOrEqual(WIDE_LIMITS.highWaterBytes);
    expect(target.wire.waitingBytes).toBeLessThan(most);
    expect(test.context.budget.usedBytes).toBe(target.wire.waitingBytes);
    // The reverse direction does not notice.
    await target.send({ opcode: 1, payload: 'still here' });
    await until('the source has its message', () => source.received().messages.length === 1);

    let highest = 0;
    target.far.socket.on('data', () => (highest = Math.max(highest, target.wire.waitingBytes)));
    void source.send({ opcode: 8, payload: closeBody(1000) });
    target.far.resume();
    await until('the target is being closed', () => !target.wire.isOpen);
    await until('all is taken', () => target.wire.waitingBytes === 0);
    await until('all has arrived', () => target.far.receivedBytes === target.wire.sentBytes);
    const { messages, ending } = target.received();
    expect(ending).toMatchObject({ kind: 'closed', code: 1000 });
    const count = Math.ceil(FLOOD_BYTES / MESSAGE.length);
    expect(messages).toHaveLength(count);
    const digest = (payload: Buffer): string => createHash('sha256').update(payload).digest('hex');
    const expected = digest(patternBytes(65_000));
    expect(new Set(messages.map(({ payload }) => digest(payload)))).toEqual(new Set([expected]));
    expect(highest).toBeLessThan(most);
    await end(pair);
    expectNothingLeft(test);
  });

  it('reports a receiver that takes nothing, not one that takes a little now and then', async () => {
    const test = createTestContext({ realTurns: true });
    const pair = await openJammed(test);
    const { target } = pair;
    for (let i = 0; i < 3; i++) {
      test.clock.advance(WIDE_LIMITS.stallMs - 1);
      const before = target.wire.sentBytes;
      target.far.resume();
      await until('the kernel has taken more', () => target.wire.sentBytes > before);
      target.far.pause();
    }
    expect(target.heard.stalls).toBe(0);
    // What the kernel still moves now is no sign of the peer's, but it may come after this look.
    await until(
      'the queue stands still',
      standsStill(() => target.wire.sentBytes),
    );
    expect(target.wire.waitingBytes).toBeGreaterThan(0);
    test.clock.advance(WIDE_LIMITS.stallMs * 2);
    expect(target.heard.stalls).toBe(1);
    await end(pair);
    expectNothingLeft(test);
  });

  it.each<[string, (pair: TcpPair) => void]>([
    ['the source resets', ({ source }) => source.far.reset()],
    ['the source ends', ({ source }) => source.far.halfClose()],
    ['the target resets', ({ target }) => target.far.reset()],
    ['the target closes', ({ target }) => void target.send({ opcode: 8 })],
    ['the target is terminated', ({ target }) => target.wire.terminate()],
    ['nobody does anything', () => {}],
  ])('leaves nothing behind when it is jammed and %s', async (_name, act) => {
    const test = createTestContext({ realTurns: true });
    const pair = await openJammed(test);
    act(pair);
    const legs = [pair.source, pair.target];
    // The end of a source that is not read shows only once its receiver has stalled.
    const isOver = (): boolean => legs.every(({ heard }) => heard.goneCount === 1);
    await until('both are gone', () => {
      test.clock.advance(WIDE_LIMITS.stallMs / 100);
      return isOver();
    });
    expectNothingLeft(test);
    await end(pair);
    expect(legs.map(({ heard }) => heard.goneCount)).toEqual([1, 1]);
  });

  it('answers a flood of pings with a bounded queue', async () => {
    const test = createTestContext({ realTurns: true });
    const pair = await openTcpPair(rig, test);
    const { source } = pair;
    source.far.pause();
    const pings = Buffer.concat(
      Array.from({ length: 2000 }, () => clientFrame({ opcode: 9, payload: patternBytes(125) })),
    );
    let most = 0;
    for (let i = 0; i < 100; i++) {
      await source.far.write(pings);
      most = Math.max(most, source.wire.waitingBytes);
    }
    await until('all pings are read', () => source.wire.receivedBytes === 100 * pings.length);
    expect(most).toBeLessThan(1000);
    expect(source.wire.sentBytes).toBeLessThan((100 * pings.length) / 10);
    await end(pair);
    expectNothingLeft(test);
  });

  it('tells a peer that reads little from one that is gone', async () => {
    const test = createTestContext({ realTurns: true });
    const pair = await openJammed(test);
    const { target } = pair;
    await until(
      'the queue stands still',
      standsStill(() => target.wire.sentBytes),
    );
    target.wire.probe();
    expect(target.wire.probe()).toBe('silent');
    const before = target.wire.sentBytes;
    target.far.resume();
    await until('the kernel has taken more', () => target.wire.sentBytes > before);
    expect(target.wire.probe()).toBe('alive');
    await end(pair);
  });
});

/** Whether a figure has been the same for many turns. */
function standsStill(figure: () => number): () => boolean {
  let [last, turns] = [figure(), 0];
  return () => {
    const now = figure();
    turns = now === last ? turns + 1 : 0;
    last = now;
    return turns > 2000;
  };
}

describe('unsentBytes', () => {
  it('is what the kernel has not taken yet, and shrinks as the peer reads', async () => {
    const { near, far } = await rig.connect();
    far.discarding = true;
    far.pause();
    expect(unsentBytes(near)).toBe(0);
    near.write(Buffer.alloc(FLOOD_BYTES));
    const first = unsentBytes(near) ?? 0;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(FLOOD_BYTES);
    far.resume();
    await until('it shrinks', () => (unsentBytes(near) ?? 0) < first);
    expect(near.writableLength).toBe(FLOOD_BYTES);
    await until('all is taken', () => near.writableLength === 0);
    expect(unsentBytes(near)).toBe(0);
    near.destroy();
    far.destroy();
    await until('it is closed', () => near.closed);
    expect(unsentBytes(near)).toBeUndefined();
  });
});

describe('an upgrade by node:http', () => {
  it('hands over a connection with the bytes behind the request', async () => {
    const test = createTestContext({ realTurns: true });
    const owner = test.context.budget.createOwner();
    const wires: WireSocket[] = [];
    const listeners: Recorder[] = [];
    const server = createServer().on('upgrade', (request, socket, head) => {
      const check = checkHandshake(request);
      if (!check.ok) throw new Error(check.fault);
      const listener = new Recorder();
      listeners.push(listener);
      const transport = takeOver(socket as Socket, test.context.readBuffer);
      const connection = { transport, head, key: check.key };
      const wire = new WireSocket(connection, test.context, { owner, listener });
      wires.push(wire);
      const [first, second] = wires;
      if (first !== undefined && second !== undefined) splice(first, second);
      else wire.hold();
      wire.start(head);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const raw = await RawSocket.connect({ port });
    const { bytes } = encodeUpgrade({ target: '/ws' });
    const frame = clientFrame({ opcode: 1, payload: 'in one segment with the request' });
    await raw.write(Buffer.concat([Buffer.from(bytes), frame]));
    expect((await raw.responseHead()).status).toBe(101);
    const peer = await new Peer('peer', `ws://127.0.0.1:${port}/ws`).opened();
    expect(await peer.text()).toBe('in one segment with the request');
    await peer.roundTrip();
    peer.close(1000);
    expect(await peer.closed()).toMatchObject({ code: 1000 });
    raw.destroy();
    await Promise.all(listeners.map(({ gone }) => gone));
    expectNothingLeft(test);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is read no further when what came behind the request fills its queue', async () => {
    const test = createTestContext({ realTurns: true, limits: { highWaterBytes: 1000, lowWaterBytes: 500 } });
    const owner = test.context.budget.createOwner();
    const heard = new Recorder();
    const wires: WireSocket[] = [];
    const server = createServer().on('upgrade', (request, socket, head) => {
      const check = checkHandshake(request);
      const transport = takeOver(socket as Socket, test.context.readBuffer);
      const connection = { transport, head, key: check.ok ? check.key : '' };
      const wire = new WireSocket(connection, test.context, { owner, listener: heard });
      wire.hold();
      wire.start(head);
      wires.push(wire);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const raw = await RawSocket.connect({ port: (server.address() as AddressInfo).port });
    const message = clientFrame({ opcode: 2, payload: patternBytes(5000) });
    await raw.write(Buffer.concat([Buffer.from(encodeUpgrade({ target: '/ws' }).bytes), message]));
    await raw.responseHead();
    for (let sent = 0; sent < FLOOD_BYTES; sent += MESSAGE.length) void raw.write(MESSAGE);
    await until(
      'nothing more is read',
      standsStill(() => wires[0]?.receivedBytes ?? 0),
    );
    expect(owner.usedBytes).toBeLessThan(1000 + test.context.blocks.blockBytes);
    expect(test.context.pausedSources.size).toBe(1);
    wires[0]?.close(1012, 'stopping');
    await until('the source is read again', () => (wires[0]?.receivedBytes ?? 0) > FLOOD_BYTES);
    raw.destroy();
    await heard.gone;
    expectNothingLeft(test);
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[string, (raw: RawSocket) => Promise<void> | void]>([
    ['a message', (raw) => raw.write(clientFrame({ opcode: 1, payload: 'before the start' }))],
    ['the end of TCP', (raw) => raw.halfClose()],
  ])('is not read before its start: %s can wait', async (_name, act) => {
    const test = createTestContext({ realTurns: true });
    const owner = test.context.budget.createOwner();
    const heard = new Recorder();
    const wires: WireSocket[] = [];
    const server = createServer().on('upgrade', (request, socket, head) => {
      const check = checkHandshake(request);
      const transport = takeOver(socket as Socket, test.context.readBuffer);
      const connection = { transport, head, key: check.ok ? check.key : '' };
      wires.push(new WireSocket(connection, test.context, { owner, listener: heard }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const raw = await RawSocket.connect({ port: (server.address() as AddressInfo).port });
    await raw.write(encodeUpgrade({ target: '/ws' }).bytes);
    await raw.responseHead();
    await act(raw);
    // A later connection has been served: what came earlier has reached this process.
    const later = await RawSocket.connect({ port: (server.address() as AddressInfo).port });
    await later.write(
      'GET / HTTP/1.1\r\nHost: relay.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
    await later.responseHead();
    const [wire] = wires;
    expect(wire?.receivedBytes).toBe(0);
    expect(heard.ends).toEqual([]);
    wire?.hold();
    wire?.start(Buffer.alloc(0));
    await until('it is read', () => owner.usedBytes === 18 || heard.ends.length > 0);
    raw.destroy();
    later.destroy();
    await heard.gone;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
