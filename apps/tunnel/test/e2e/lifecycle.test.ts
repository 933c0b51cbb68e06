import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { constants } from 'node:os';
import { startRelay } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, textOf } from './support/ask.ts';
import { run, start } from './support/command.ts';
import { ROOMY, setScene } from './support/tunnel.ts';

describe('a relay that is killed', () => {
  it('cuts what was under way, is told of, and all goes on by itself with the next one', async () => {
    const { relay, url, origin, command, host } = await setScene();
    const asked = ask(`${url}/hold`);
    (await origin.held.take()).write('half');
    const answer = await asked;
    const ended = once(answer.resume(), 'end').catch((error: { code?: string }) => error.code);
    await relay.stop();
    expect(await ended).toBe('ECONNRESET');
    await command.json(({ state, code }) => state === 'reconnecting' && code !== undefined);
    await host.json(({ state, reason }) => state === 'reconnecting' && reason !== undefined);

    // A request that comes meanwhile waits for the tunnel.
    const waiting = ask(`${url}/later`);
    const next = await startRelay({ limits: ROOMY, args: ['--port', String(relay.port)] });
    onTestFinished(() => next.stop());
    expect(await textOf(await waiting)).toBe('GET /later');
  }, 60_000);
});

describe('a Host that is not there', () => {
  it('is a 503 that says so', async () => {
    const { url, host } = await setScene();
    host.kill('SIGTERM');
    expect((await host.finished).code).toBe(0);
    const answer = await ask(`${url}/x`);
    expect([answer.statusCode, JSON.parse(await textOf(answer))]).toMatchObject([
      503,
      { error: 'host_unavailable' },
    ]);
  }, 60_000);
});

describe('the local port', () => {
  it('that is taken is one line that says what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const link = `#v=1&r=ws://127.0.0.1:1/&h=${'A'.repeat(43)}&k=${P256_POINT}`;
    const { code, stderr } = await run(['connect', link, '--listen', String(port)]);
    expect([code, stderr]).toEqual([
      1,
      `Cannot listen on 127.0.0.1:${port}: the address is in use by another program; choose another address with --listen (EADDRINUSE)\n`,
    ]);
  });

  it('that is open to the network is warned about', async () => {
    const link = `#v=1&r=ws://127.0.0.1:1/&h=${'A'.repeat(43)}&k=${P256_POINT}`;
    const command = start(['connect', link, '--listen', '0.0.0.0:0']);
    await command.line((line) => line.startsWith('Listening at http://0.0.0.0:'));
    expect(command.stderr()).toMatch(/^Warning: the port is open to the network/);
  });

  it('is told with --json, and every change of the connection after it', async () => {
    const { command, port, relay } = await setScene();
    const [first] = command.stdout().split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      status: 'ok',
      url: `http://127.0.0.1:${port}`,
      host: '127.0.0.1',
      port,
      serverId: expect.stringMatching(/^[\w-]{43}$/),
      relayUrl: relay.url,
    });
    await command.json(({ event, state }) => event === 'status' && state === 'connected');
  });
});

describe('signals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s stops both ends cleanly, whatever is under way',
    async (signal) => {
      const { host, command, url, origin } = await setScene();
      const asked = ask(`${url}/hold`);
      (await origin.held.take()).write('half');
      const answer = await asked;
      const ended = once(answer.resume(), 'end').catch(() => 'cut');
      command.kill(signal);
      expect(await ended).toBe('cut');
      expect((await command.finished).code).toBe(0);
      host.kill(signal);
      const { code, stdout, stderr } = await host.finished;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.toString()).toContain('"state":"stopped"');
    },
  );
});

describe('a relay that does not answer any more', () => {
  it('does not keep the ends from stopping', async () => {
    const { relay, host, command } = await setScene();
    await command.json(({ state }) => state === 'connected');
    relay.kill('SIGSTOP');
    host.kill('SIGTERM');
    command.kill('SIGTERM');
    expect([(await host.finished).code, (await command.finished).code]).toEqual([0, 0]);
  });

  it('nor from stopping at once, at the second signal', async () => {
    const { relay, host } = await setScene();
    relay.kill('SIGSTOP');
    host.kill('SIGTERM');
    host.kill('SIGINT');
    // Of two signals that wait for a process, the system picks the order.
    expect([128 + constants.signals.SIGINT, 128 + constants.signals.SIGTERM]).toContain(
      (await host.finished).code,
    );
  });
});

/** The generator of P-256 (SEC 2, section 2.4.2): a point that everybody knows. */
const P256_POINT = Buffer.from(
  '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
).toString('base64url');
