import {
  clientQuery,
  delay,
  encodeFrame,
  opcodes,
  RawSocket,
  signedQuery,
  startRelay,
  withTimeout,
} from '@openchambery/testkit';
import type { ExitInfo, Peer, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { expectNumbered, startFlow } from './support/flow.ts';
import { request } from './support/http.ts';
import { halfRawPair } from './support/raw-pair.ts';
import { ownRelay, roomy } from './support/relay.ts';
import {
  connectHost,
  connectPair,
  connectPending,
  connectRaw,
  expectClosed,
  expectCloseFrame,
  upgradeRaw,
} from './support/sockets.ts';

// Layer 1 §7: SIGTERM and SIGINT give everyone a real 1012, flush what is queued, and exit 0 within 10 s.

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Sends the signal; gives back the exit and how long it took in ms. */
async function exitAfter(
  relay: RelayProcess,
  signal: NodeJS.Signals,
): Promise<{ readonly exit: ExitInfo; readonly tookMs: number }> {
  const startedAt = performance.now();
  relay.kill(signal);
  const exit = await withTimeout(relay.exited, () => `still running; ${relay.stderr()}`, 15_000);
  return { exit, tookMs: performance.now() - startedAt };
}

function expectCleanExit({ exit, tookMs }: { exit: ExitInfo; tookMs: number }): void {
  expect(exit).toEqual({ code: 0, signal: null });
  expect(tookMs).toBeLessThan(10_000);
}

describe.each(signals)('%s', (signal) => {
  it('gives every peer a 1012 and exits with 0', async () => {
    const relay = await ownRelay({ limits: roomy });
    const peers: Peer[] = [];
    for (let i = 0; i < 3; i++) {
      const host = await connectHost(relay);
      peers.push(host.control);
      for (let n = 0; n < 3; n++) {
        const { client, data } = await connectPair(relay, host);
        peers.push(client, data);
      }
      peers.push((await connectPending(relay, host)).client);
    }
    const graceful = await connectHost(relay);
    const orphan = await connectPair(relay, graceful);
    graceful.control.terminate();
    peers.push(orphan.client, orphan.data);

    const exiting = exitAfter(relay, signal);
    for (const peer of peers) await expectClosed(peer, 1012);
    expectCleanExit(await exiting);
  });

  it('lets an idle relay exit with 0, soon', async () => {
    const relay = await ownRelay({});
    const end = await exitAfter(relay, signal);
    expectCleanExit(end);
    expect(end.tookMs).toBeLessThan(8000);
    expect(relay.stdout().split('\n')).toHaveLength(2);
  });

  it('given twice exits at once', async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay);
    const { raw } = await halfRawPair(relay, host, 'client');
    relay.kill(signal);
    await expectCloseFrame(raw, 1012);
    // A terminal and npm may both pass on one Ctrl-C; this is a second one.
    await delay(500);
    const { tookMs } = await exitAfter(relay, signal);
    expect(tookMs).toBeLessThan(2000);
  });
});

describe('a shutdown under load', () => {
  it('gives nobody a 1006 and cuts no message', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay);
    const pairs = [];
    for (let i = 0; i < 16; i++) pairs.push(await connectPair(relay, host));
    const endless = { count: 1_000_000, bytes: 20_000 };
    for (const { client, data } of pairs) {
      startFlow(client, endless);
      startFlow(data, endless);
    }
    for (let i = 0; i < 60; i++) await pairs.at(-1)?.client.message();
    const exiting = exitAfter(relay, 'SIGTERM');
    for (const { client, data } of pairs) {
      await expectClosed(client, 1012);
      await expectClosed(data, 1012);
    }
    await expectClosed(host.control, 1012);
    expectCleanExit(await exiting);
    for (const { data } of pairs) {
      for (const [i, message] of data.messages.takeAll().entries()) expectNumbered(message.data, i, 20_000);
    }
  });

  it('flushes what the relay has queued to a peer that reads again', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay);
    const { client, data } = await connectPair(relay, host);
    data.pause();
    // A pong tells that the relay has read all the messages before its ping; without one it has stopped reading.
    let queued = 0;
    for (let stopped = false; !stopped && queued < 4000; ) {
      for (let i = 0; i < 8; i++) startFlowMessage(client, queued + i);
      stopped = await client.roundTrip(1500).then(
        () => false,
        () => true,
      );
      if (!stopped) queued += 8;
    }
    expect(queued).toBeGreaterThan(8);
    const exiting = exitAfter(relay, 'SIGTERM');
    await expectReadyGone(relay);
    data.resume();
    await expectClosed(data, 1012);
    const got = data.messages.takeAll();
    expect(got.length).toBeGreaterThanOrEqual(queued);
    for (const [i, message] of got.entries()) expectNumbered(message.data, i, 65_536);
    expectCleanExit(await exiting);
  });

  it('exits with 0 within 10 s though peers neither read nor answer', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay);
    const deaf = await halfRawPair(relay, host, 'client');
    const stuck = await halfRawPair(relay, host, 'client');
    stuck.raw.raw.pause();
    startFlow(stuck.peer, { count: 2000, bytes: 65_536 });
    await delay(500);
    const exiting = exitAfter(relay, 'SIGTERM');
    await expectCloseFrame(deaf.raw, 1012);
    await expectClosed(host.control, 1012);
    expectCleanExit(await exiting);
  });

  it('waits for no idle connection', async () => {
    const relay = await ownRelay({ limits: { ...roomy, HANDSHAKE_MS: 60_000 } });
    await connectRaw(relay);
    const keptAlive = await connectRaw(relay);
    void keptAlive.write('GET /healthz HTTP/1.1\r\nHost: relay.test\r\n\r\n');
    await keptAlive.response();
    const half = await connectRaw(relay);
    void half.write('GET /healthz HTTP/1.1\r\n');
    expectCleanExit(await exitAfter(relay, 'SIGTERM'));
  });
});

describe('a shutdown in the middle of a frame', () => {
  it.each(['client', 'host-data'] as const)('from the %s leg leaves nobody a 1006', async (leg) => {
    const relay = await ownRelay({ limits: { ...roomy, CLOSE_DEADLINE_MS: 1500 } });
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    void raw.send({ opcode: opcodes.text, payload: 'whole' });
    const frame = encodeFrame({ opcode: opcodes.binary, payload: Buffer.alloc(100_000) });
    await raw.raw.write(frame.subarray(0, 50_000));
    expect(await peer.text()).toBe('whole');
    const exiting = exitAfter(relay, 'SIGTERM');
    await expectClosed(peer, 1012);
    expect(peer.messages.size).toBe(0);
    await expectCloseFrame(raw, 1012);
    await raw.sendClose(1012);
    expectCleanExit(await exiting);
  });
});

describe('while draining', () => {
  /** A relay that has been told to stop and waits for a peer that does not answer. */
  async function draining() {
    const relay = await ownRelay({ limits: { ...roomy, CLOSE_DEADLINE_MS: 2500 } });
    const host = await connectHost(relay);
    const keptAlive = await connectRaw(relay);
    void keptAlive.write('GET /readyz HTTP/1.1\r\nHost: relay.test\r\n\r\n');
    expect((await keptAlive.response()).body).toBe('{"status":"ok"}');
    const { raw } = await halfRawPair(relay, host, 'client');
    relay.kill('SIGTERM');
    await expectCloseFrame(raw, 1012);
    return { relay, host, keptAlive };
  }

  it('/readyz is 503 and /healthz is 200', async () => {
    const { relay, keptAlive } = await draining();
    const ask = async (path: string) => {
      try {
        void keptAlive.write(`GET ${path} HTTP/1.1\r\nHost: relay.test\r\n\r\n`);
        return await keptAlive.response();
      } catch {
        // The relay may have closed what was idle; then it must still be asked anew.
        return request(relay, { path });
      }
    };
    const ready = await ask('/readyz');
    expect([ready.status, ready.body]).toEqual([503, '{"status":"draining"}']);
    expect(ready.headers['content-type']).toBe('application/json');
    expect(ready.headers['cache-control']).toBe('no-store');
    expect((await ask('/healthz')).status).toBe(200);
    expect((await relay.exited).code).toBe(0);
  });

  it('no upgrade is taken', async () => {
    const { relay, host } = await draining();
    for (const query of [
      clientQuery(host.serverId),
      signedQuery({ identity: host.identity, role: 'host-control' }),
    ]) {
      const outcome = await upgradeRaw(relay, query)
        .then((socket) => socket.closeFrame())
        .catch(() => 'refused' as const);
      if (outcome !== 'refused') expect(outcome.code).toBe(1012);
    }
    expect((await relay.exited).code).toBe(0);
  });

  it('the port is free again after the exit', async () => {
    const { relay } = await draining();
    await relay.exited;
    const next = await startRelay({ args: ['--port', String(relay.port)] });
    try {
      expect(next.announced['port']).toBe(relay.port);
    } finally {
      await next.stop();
    }
    await expect(RawSocket.connect({ port: relay.port })).rejects.toThrow('ECONNREFUSED');
  });
});

function startFlowMessage(from: Peer, number: number): void {
  const message = Buffer.alloc(65_536, number);
  message.writeUInt32BE(number);
  from.socket.send(message);
}

/** Waits until the relay has begun to stop: it is not ready any more, or does not listen. */
async function expectReadyGone(relay: RelayProcess): Promise<void> {
  for (;;) {
    const status = await request(relay, { path: '/readyz' }).then(
      (answer) => answer.status,
      () => 503,
    );
    if (status === 503) return;
    await delay(10);
  }
}
