import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Lifecycle } from '../src/lifecycle.ts';
import type { Leg } from './model/leg.ts';
import { QuietWorld } from './model/quiet-world.ts';
import { pass, settle } from './model/settle.ts';
import type { World } from './model/world.ts';

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
  fail(error: Error): void;
}

function makeGate(): Gate {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve, fail: reject };
}

interface Setup {
  readonly lifecycle: Lifecycle;
  readonly gate: Gate;
  readonly closed: string[];
  readonly faults: unknown[];
  readonly world: World;
}

/** A lifecycle whose port opens when the test says so. */
async function setUp(drains: readonly (() => Promise<void>)[] = []): Promise<Setup> {
  const { world } = await QuietWorld.open();
  const { context, refused } = world.parts;
  const gate = makeGate();
  const faults: unknown[] = [];
  const mounts = drains.map((drain) => ({ owns: () => false, handle: () => undefined, drain }));
  const closed: string[] = [];
  const lifecycle = new Lifecycle({
    context,
    refused,
    mounted: { mounts, onFault: (error) => void faults.push(error) },
    listener: {
      listen: () => gate.opened,
      handOver: () => {
        closed.push('queue');
        return Promise.resolve();
      },
      close: () => {
        closed.push('listener');
        return Promise.resolve();
      },
    },
    limiter: {
      destroyAll: () => {
        closed.push('connections');
        return Promise.resolve();
      },
    },
  });
  return { lifecycle, gate, closed, faults, world };
}

describe('Lifecycle', () => {
  it('goes one way: idle, starting, listening, draining, closed', async () => {
    const { lifecycle, gate } = await setUp();
    const seen: string[] = [lifecycle.state];
    const started = lifecycle.start('127.0.0.1', 0);
    seen.push(lifecycle.state);
    gate.open();
    await started;
    seen.push(lifecycle.state);
    await lifecycle.close();
    seen.push(lifecycle.state);
    expect(seen).toEqual(['idle', 'starting', 'listening', 'closed']);
  });

  it('starts once', async () => {
    const { lifecycle, gate } = await setUp();
    const first = lifecycle.start('127.0.0.1', 0);
    await expect(lifecycle.start('127.0.0.1', 0)).rejects.toThrow('it is starting');
    gate.open();
    await first;
    await expect(lifecycle.start('127.0.0.1', 0)).rejects.toThrow('it is listening');
    await lifecycle.close();
    await expect(lifecycle.start('127.0.0.1', 0)).rejects.toThrow('it is closed');
  });

  it('gives the same promise to whoever closes it again', async () => {
    const { lifecycle, gate, closed } = await setUp();
    gate.open();
    await lifecycle.start('127.0.0.1', 0);
    const first = lifecycle.close();
    expect(lifecycle.close()).toBe(first);
    await first;
    expect(lifecycle.close()).toBe(first);
    expect(closed).toEqual(['queue', 'listener', 'connections']);
  });

  it('can be closed before it was started, and not be started then', async () => {
    const { lifecycle, closed } = await setUp();
    await lifecycle.close();
    expect([lifecycle.state, closed]).toEqual(['closed', []]);
    await expect(lifecycle.start('127.0.0.1', 0)).rejects.toThrow('it is closed');
  });

  it('closes a port that was still opening when it was asked to', async () => {
    const { lifecycle, gate, closed } = await setUp();
    const started = lifecycle.start('127.0.0.1', 0);
    const ended = lifecycle.close();
    gate.open();
    await Promise.all([started, ended]);
    expect([lifecycle.state, closed]).toEqual(['closed', ['queue', 'listener', 'connections']]);
  });

  it('passes on why the port could not be opened, also when it is being closed', async () => {
    const { lifecycle, gate } = await setUp();
    const started = lifecycle.start('127.0.0.1', 0);
    const ended = lifecycle.close();
    gate.fail(new Error('EADDRINUSE'));
    await expect(started).rejects.toThrow('EADDRINUSE');
    await ended;
    expect(lifecycle.state).toBe('closed');
  });
});

describe('a mount', () => {
  /** Moves time and lets all that follows happen; this lifecycle is not the one that the model watches. */
  async function rest({ stage }: World, ms = 0): Promise<void> {
    stage.moveTo(stage.now + ms);
    for (let turns = 0; turns < 10; turns++) {
      await turn();
      stage.runTurn();
    }
  }

  async function closing(...drains: (() => Promise<void>)[]): Promise<Setup> {
    const setup = await setUp(drains);
    setup.gate.open();
    await setup.lifecycle.start('127.0.0.1', 0);
    void setup.lifecycle.close();
    await rest(setup.world);
    return setup;
  }

  it('is told once that the shutdown begins, and the port stays open until it is done', async () => {
    const done = makeGate();
    let calls = 0;
    const drain = (): Promise<void> => {
      calls++;
      return done.opened;
    };
    const { lifecycle, closed, world } = await closing(drain, () => Promise.resolve());
    void lifecycle.close();
    await rest(world, 5999);
    expect([lifecycle.state, closed, calls]).toEqual(['draining', ['queue'], 1]);
    done.open();
    await rest(world);
    expect([lifecycle.state, closed]).toEqual(['closed', ['queue', 'listener', 'connections']]);
    expect(world.stage.pendingTimers).toBe(0);
  });

  it('has 6 s and no more', async () => {
    const { lifecycle, closed, world } = await closing(() => makeGate().opened);
    await rest(world, 5999);
    expect([lifecycle.state, closed]).toEqual(['draining', ['queue']]);
    await rest(world, 1);
    expect([lifecycle.state, closed]).toEqual(['closed', ['queue', 'listener', 'connections']]);
  });

  it('that fails to finish is heard, and done', async () => {
    const error = new Error('planned');
    const { lifecycle, faults } = await closing(
      () => Promise.reject(error),
      () => {
        throw error;
      },
    );
    expect([lifecycle.state, faults]).toEqual(['closed', [error, error]]);
  });
});

async function openPair(relay: QuietWorld, host: number): Promise<{ client: Leg; data: Leg }> {
  const client = await relay.client(host);
  return { client, data: await relay.data(host, client) };
}

describe('shutdown', () => {
  it('closes everybody with 1012 and is over as soon as they are gone', async () => {
    const relay = await QuietWorld.open();
    const control = await relay.host();
    const { client, data } = await openPair(relay, 0);
    const pending = await relay.client();
    await relay.world.close();
    await relay.rest();
    expect(relay.world.closing?.isOver).toBe(true);
    for (const leg of [control, client, data, pending]) {
      expect(leg.peer.log.close).toEqual({ code: 1012, reason: 'the relay is stopping' });
      expect(leg.isGone).toBe(true);
    }
    expect(relay.world.stage.pendingTimers).toBe(0);
  });

  it('flushes what waits for a peer that reads on, before its close', async () => {
    const relay = await QuietWorld.open({ closeDeadlineMs: 1000 });
    await relay.host();
    const { client, data } = await openPair(relay, 0);
    client.peer.socket.setReading(false);
    for (let count = 0; count < 5; count++) data.peer.sendMessage(2000);
    await relay.rest();
    await relay.world.close();
    await pass(relay.world, 900);
    client.peer.socket.setReading(true);
    await relay.rest();
    expect(client.peer.log.messages).toHaveLength(5);
    expect(client.peer.log.close?.code).toBe(1012);
  });

  it('lets idle peers stay until those for whom data waits are gone or had their time', async () => {
    const relay = await QuietWorld.open({ closeDeadlineMs: 1000 });
    const control = await relay.host();
    const stalled = await openPair(relay, 0);
    const idle = await openPair(relay, 0);
    stalled.client.peer.socket.setReading(false);
    stalled.data.peer.sendMessage(2000);
    await relay.rest();
    await relay.world.close();
    await pass(relay.world, 999);
    expect([stalled.data, idle.client, idle.data, control].map(({ isOpen }) => isOpen)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    await pass(relay.world, 1);
    expect([idle.client, idle.data, control].map(({ peer }) => peer.log.close?.code)).toEqual([
      1012, 1012, 1012,
    ]);
  });

  it('is over within 9 s, whatever peers do and however long a close may take', async () => {
    const relay = await QuietWorld.open({ closeDeadlineMs: 60_000, heartbeatMs: 100_000, stallMs: 100_000 });
    const socket = {
      kernelBytes: 0,
      readAheadBytes: 1000,
      chunkBytes: 1000,
      tellsQueue: true,
      manners: { answersCloses: false },
    };
    const control = await relay.host(0, { socket });
    const client = await relay.client(0, { socket });
    const data = await relay.data(0, client, { socket });
    client.peer.socket.setReading(false);
    data.peer.sendMessage(1000);
    await relay.rest();
    await relay.world.close();
    await pass(relay.world, 8400);
    expect([relay.world.lifecycle.state, data.isGone]).toEqual(['draining', false]);
    await pass(relay.world, 600);
    expect(relay.world.closing?.isOver).toBe(true);
    expect([control, client, data].map(({ isGone }) => isGone)).toEqual([true, true, true]);
    expect(relay.world.stage.pendingTimers).toBe(0);
  });

  it('refuses who comes meanwhile with 1012, and waits until they heard it', async () => {
    const relay = await QuietWorld.open({ closeDeadlineMs: 5000 });
    const { world } = relay;
    const socket = {
      kernelBytes: 1000,
      readAheadBytes: 1000,
      chunkBytes: 1000,
      tellsQueue: true,
      manners: { answersCloses: false },
    };
    await relay.host(0, { socket });
    await world.close();
    await relay.rest();
    const late = await relay.client(0, { socket });
    expect(late.peer.log.close).toEqual({ code: 1012, reason: 'the relay is stopping' });
    // Its Host goes, and now only the refused one is left.
    world.legs[0]?.peer.reset();
    await relay.rest();
    expect(world.lifecycle.state).toBe('draining');
    await pass(world, 499);
    expect(world.lifecycle.state).toBe('draining');
    await pass(world, 1);
    await settle(world);
    expect(world.lifecycle.state).toBe('closed');
    expect(world.stage.failures).toEqual([]);
  });
});
