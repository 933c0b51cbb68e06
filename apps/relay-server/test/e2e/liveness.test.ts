import { clientQuery, delay, makeIdentity, opcodes, signedQuery } from '@openchambery/testkit';
import type { RawWebSocket, TestHost } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectFlow, startFlow, takeSlowly } from './support/flow.ts';
import { halfRawPair } from './support/raw-pair.ts';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectClient,
  connectHost,
  connectPair,
  connectPending,
  expectClosed,
  expectCloseFrame,
  expectFlows,
  expectLive,
  upgradeRaw,
} from './support/sockets.ts';

// Layer 1 §7: pings, what counts as life, and what becomes of the dead.

const HEARTBEAT_MS = 400;
const legs = ['client', 'host-data'] as const;

describe('the heartbeat', () => {
  const relay = useRelay({ limits: { ...roomy, HEARTBEAT_MS, CLOSE_DEADLINE_MS: 1000 } });

  /** A control that never answers anything, with its sync read. */
  async function deafControl(identity = makeIdentity()): Promise<RawWebSocket> {
    const raw = await upgradeRaw(relay, signedQuery({ identity, role: 'host-control' }));
    const sync = await raw.frameOf([opcodes.text]);
    expect(sync.payload.toString()).toBe('{"type":"sync","connectionIds":[]}');
    return raw;
  }

  /** Does something for a span of several heartbeats. */
  async function throughout(heartbeats: number, every: () => void): Promise<void> {
    const timer = setInterval(every, HEARTBEAT_MS / 4);
    onTestFinished(() => clearInterval(timer));
    await delay(heartbeats * HEARTBEAT_MS);
    clearInterval(timer);
  }

  it('closes a control that never answers with 4003', async () => {
    const startedAt = performance.now();
    const raw = await deafControl();
    await raw.frameOf([opcodes.ping]);
    await expectCloseFrame(raw, 4003);
    expect(performance.now() - startedAt).toBeGreaterThan(HEARTBEAT_MS - 50);
  });

  it('gives the Host of such a control its grace', async () => {
    const identity = makeIdentity();
    const control = await deafControl(identity);
    const client = await upgradeRaw(relay, clientQuery(identity.serverId));
    const live = setInterval(() => void client.send({ opcode: opcodes.pong }), 100);
    onTestFinished(() => clearInterval(live));
    await expectCloseFrame(control, 4003);
    const next = await upgradeRaw(relay, signedQuery({ identity, role: 'host-control' }));
    const sync = await next.frameOf([opcodes.text]);
    expect(sync.payload.toString()).toMatch(/^\{"type":"sync","connectionIds":\["[\w-]{22}"\]\}$/u);
  });

  it.each(legs)('closes a %s leg that never answers with 1012, and its peer too', async (leg) => {
    const host = await connectHost(relay);
    const { raw, peer, connectionId } = await halfRawPair(relay, host, leg);
    await raw.frameOf([opcodes.ping]);
    await expectCloseFrame(raw, 1012);
    expect([1000, 1012]).toContain((await peer.closed()).code);
    expect(await host.nextId('disconnected')).toBe(connectionId);
  });

  it('closes a pending Client that never answers with 1012', async () => {
    const host = await connectHost(relay);
    const raw = await upgradeRaw(relay, clientQuery(host.serverId));
    const connectionId = await host.nextId('connected');
    await expectCloseFrame(raw, 1012);
    expect(await host.nextId('disconnected')).toBe(connectionId);
  });

  it('destroys the connection when the dead do not answer the close', async () => {
    const raw = await deafControl();
    await expectCloseFrame(raw, 4003);
    await raw.raw.ended();
  });

  it('leaves peers that answer alone', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    const { client: pending } = await connectPending(relay, host);
    await delay(6 * HEARTBEAT_MS);
    for (const peer of [host.control, pair.client, pair.data, pending]) {
      expect(peer.pings.length).toBeGreaterThanOrEqual(3);
      expect(peer.socket.readyState).toBe(1);
    }
    await expectFlows(pair);
  });

  it.each([
    ['text', opcodes.text],
    ['binary', opcodes.binary],
    ['pings', opcodes.ping],
    ['unasked pongs', opcodes.pong],
  ])('takes %s on control for life', async (_name, opcode) => {
    const raw = await deafControl();
    await throughout(5, () => void raw.send({ opcode, payload: 'x' }));
    const identity = makeIdentity();
    expect(raw.raw.isEnded, identity.serverId).toBe(false);
    void raw.send({ opcode: opcodes.ping, payload: 'alive' });
    for (;;) {
      const frame = await raw.frame();
      expect(frame.opcode).not.toBe(opcodes.close);
      if (frame.opcode === opcodes.pong && frame.payload.toString() === 'alive') break;
    }
  });

  it.each(legs)('takes data from the %s leg for life', async (leg) => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    await throughout(5, () => void raw.send({ opcode: opcodes.text, payload: 'x' }));
    expect(peer.socket.readyState).toBe(1);
    expect(peer.messages.total).toBeGreaterThan(5);
  });

  it.each(legs)('takes what the %s leg takes for life', { timeout: 40_000 }, async (leg) => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    const { sent } = startFlow(peer, { count: 10_000, bytes: 65_536 });
    const reader = takeSlowly(raw.raw, 2 * 1024 * 1024);
    await throughout(5, () => reader.allowMore());
    const taken = sent();
    // More waits than is taken: that it goes on shows that bytes were taken, not merely buffered.
    expect(taken).toBeGreaterThan(150);
    expect(peer.socket.readyState).toBe(1);
    // And it ends when nothing is taken any more.
    await expectClosed(peer, 1012);
  });

  it('interrupts neither a message nor a frame', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, 'client');
    const half = Buffer.alloc(60_000, 1);
    await throughout(3, () => void raw.send({ opcode: opcodes.pong }));
    void raw.send({ opcode: opcodes.binary, payload: half, fin: false });
    await throughout(3, () => void raw.send({ opcode: opcodes.pong }));
    void raw.send({ opcode: opcodes.continuation, payload: half });
    const { data } = await peer.message();
    expect(data.equals(Buffer.alloc(120_000, 1))).toBe(true);
    expect(peer.pings.length).toBeGreaterThanOrEqual(3);
  });

  it('interrupts no frame that comes slowly', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, 'client');
    const payload = Buffer.alloc(100, 9);
    void raw.raw.write(Buffer.from([0x82, 0x80 | 100, 0, 0, 0, 0]));
    for (const byte of payload) {
      await raw.raw.write(Buffer.from([byte]));
      await delay(20);
    }
    const { data } = await peer.message();
    expect(data.equals(payload)).toBe(true);
  });
});

describe('a socket that the relay itself has paused', () => {
  it('counts as alive', { timeout: 40_000 }, async () => {
    const limits = { ...roomy, HEARTBEAT_MS, MAX_QUEUED_BYTES_PER_CONNECTION: 262_144, PENDING_MS: 60_000 };
    const relay = await ownRelay({ limits });
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    const flow = { count: 512, bytes: 65_536 };
    const { done, sent } = startFlow(client, flow);
    await delay(6 * HEARTBEAT_MS);
    expect(sent()).toBeLessThan(flow.count);
    expect(client.socket.readyState).toBe(1);
    const data = await attachData(host, connectionId);
    await expectFlow(data, flow);
    await done;
    await expectFlows({ client, data });
  });

  it('counts as alive in the moment in which it may go on', { timeout: 40_000 }, async () => {
    const limits = { ...roomy, HEARTBEAT_MS, MAX_QUEUED_BYTES_PER_CONNECTION: 262_144, PENDING_MS: 60_000 };
    const relay = await ownRelay({ limits });
    const host = await connectHost(relay);
    const flow = { count: 24, bytes: 65_536 };
    const resumed = Array.from({ length: 30 }, async (_, i) => {
      const connectedAt = performance.now() + i * 5;
      await delay(i * 5);
      const client = await connectClient(relay, host.serverId);
      const connectionId = await host.nextId('connected');
      startFlow(client, flow);
      // Spread over the moments just before and after its heartbeat.
      await delay(connectedAt + 5 * HEARTBEAT_MS + (i - 15) * 5 - performance.now());
      await expectFlow(await attachData(host, connectionId), flow);
    });
    await Promise.all(resumed);
  });
});

describe('a receiver that takes nothing', () => {
  it('is closed by the heartbeat when that comes before the stall', { timeout: 40_000 }, async () => {
    const limits = { ...roomy, HEARTBEAT_MS, STALL_MS: 600_000, CLOSE_DEADLINE_MS: 1000 };
    const relay = await ownRelay({ limits });
    const host: TestHost = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    data.pause();
    startFlow(client, { count: 4000, bytes: 65_536 });
    await expectClosed(client, 1012, 15_000);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    await expectLive(relay, host);
  });
});
