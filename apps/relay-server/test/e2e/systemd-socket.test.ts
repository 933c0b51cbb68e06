import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  clientQuery,
  encodeUpgrade,
  eventually,
  freePort,
  RawSocket,
  spawnRelay,
  TestHost,
  withTimeout,
} from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onlyLine, temporaryFolder } from './support/push-command.ts';
import { openSlot, openSlots, pathOf } from './support/socket-slots.ts';
import type { ActivatedCommand, SlotOptions, ThirdFd } from './support/socket-slots.ts';

// sd_listen_fds(3): the relay takes its listening socket from whoever started it.

const relay: SlotOptions = { command: 'openchamber-relay' };
const GET = 'GET /healthz HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n';

async function connectRaw(port: number): Promise<RawSocket> {
  const raw = await RawSocket.connect({ port });
  onTestFinished(() => raw.destroy());
  return raw;
}

async function statusOf(raw: RawSocket): Promise<number> {
  return (await raw.responseHead()).status;
}

async function end(command: ActivatedCommand): Promise<void> {
  command.kill('SIGTERM');
  const exit = await withTimeout(command.exited, () => `it does not end: ${command.stderr()}`, 15_000);
  expect(exit, command.stderr()).toEqual({ code: 0, signal: null });
}

describe('an inherited socket', () => {
  it('is served and announced, whatever host and port say', async () => {
    const other = await freePort();
    const args = ['--host', 'localhost', '--port', String(other)];
    const slots = await openSlots({ ...relay, args });
    const running = slots.start();
    expect(await running.line()).toBe(`Relay listening at ws://127.0.0.1:${slots.port}/ws`);
    const raw = await connectRaw(slots.port);
    void raw.write(GET);
    expect(await statusOf(raw)).toBe(200);
    await expect(RawSocket.connect({ port: other })).rejects.toThrow('ECONNREFUSED');
    await end(running);
    expect(JSON.parse(onlyLine(running.stderr()))).toMatchObject({
      level: 'info',
      fd: 3,
      msg: 'The listening socket comes from systemd; host and port are ignored',
    });
  });

  it('is what --json tells of', async () => {
    const slots = await openSlots({ ...relay, args: ['--json', '--path', '/relay'] });
    const { port } = slots;
    expect(JSON.parse(await slots.start().line())).toEqual({
      status: 'ok',
      url: `ws://127.0.0.1:${port}/relay`,
      host: '127.0.0.1',
      port,
      path: '/relay',
    });
  });

  it('leaves a public URL as it is', async () => {
    const slots = await openSlots({ ...relay, args: ['--public-url', 'wss://relay.example.org/ws'] });
    expect(await slots.start().line()).toBe('Relay listening at wss://relay.example.org/ws');
  });

  it('may serve IPv4 and IPv6 at once', async () => {
    const slots = await openSlots({ ...relay, host: '::' });
    expect(await slots.start().line()).toBe(`Relay listening at ws://[::]:${slots.port}/ws`);
    for (const host of ['127.0.0.1', '::1']) {
      const raw = await RawSocket.connect({ host, port: slots.port });
      onTestFinished(() => raw.destroy());
      void raw.write(GET);
      expect(await statusOf(raw), host).toBe(200);
    }
  });

  it('is not meant for us when LISTEN_PID names another process', async () => {
    const port = await freePort();
    const args = ['--port', String(port)];
    const slots = await openSlots({ ...relay, args, variables: 'LISTEN_PID=1 LISTEN_FDS=1' });
    const running = slots.start();
    expect(await running.line()).toBe(`Relay listening at ws://127.0.0.1:${port}/ws`);
    await end(running);
    expect(running.stderr()).toBe('');
  });
});

describe('a restart', () => {
  it('lets those wait who connect while no process runs', async () => {
    const slots = await openSlots(relay, 2);
    const first = slots.start();
    await first.line();
    await end(first);
    const waiting = await Promise.all(Array.from({ length: 20 }, () => connectRaw(slots.port)));
    for (const raw of waiting) void raw.write(GET);
    const second = slots.start();
    for (const raw of waiting) expect(await statusOf(raw)).toBe(200);
    await end(second);
  });

  it('lets those wait who connect while the old process closes its connections', async () => {
    const slots = await openSlots(relay, 2);
    const first = slots.start();
    await first.line();
    const host = await TestHost.connect(`ws://127.0.0.1:${slots.port}/ws`);
    onTestFinished(() => host.control.terminate());
    // Does not answer the close, so that the old process has to wait for it.
    const silent = await connectRaw(slots.port);
    void silent.write(encodeUpgrade({ target: `/ws?${clientQuery(host.serverId)}` }).bytes);
    expect(await statusOf(silent)).toBe(101);
    first.kill('SIGTERM');
    await host.control.closed();
    const late = await connectRaw(slots.port);
    void late.write(GET);
    await first.exited;
    const second = slots.start();
    expect(await statusOf(late)).toBe(200);
    await end(second);
  });

  it('answers those whom the old process has accepted but not heard yet', async () => {
    const slots = await openSlots(relay);
    const running = slots.start();
    await running.line();
    const quiet = await connectRaw(slots.port);
    // Answered on a later connection: by then the earlier one is accepted, too.
    const other = await connectRaw(slots.port);
    void other.write(GET);
    expect(await statusOf(other)).toBe(200);
    running.kill('SIGTERM');
    void quiet.write(GET);
    expect(await statusOf(quiet)).toBe(200);
    expect(await running.exited).toEqual({ code: 0, signal: null });
  });

  it('does not wait for those who never say anything', async () => {
    const slots = await openSlots(relay);
    const running = slots.start();
    await running.line();
    await connectRaw(slots.port);
    const other = await connectRaw(slots.port);
    void other.write(GET);
    expect(await statusOf(other)).toBe(200);
    const startedAt = performance.now();
    await end(running);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('what is no listening TCP socket', () => {
  async function complaint(options: SlotOptions, third?: ThirdFd): Promise<string> {
    const command = openSlot(options, third)();
    expect(await command.exited, command.stdout()).toEqual({ code: 1, signal: null });
    expect(command.stdout()).toBe('');
    return onlyLine(command.stderr());
  }

  const refusal =
    /^Cannot listen on file descriptor 3 \(LISTEN_FDS\): expected a listening TCP socket, as ListenStream= makes \([A-Z]+\)$/;

  it('is refused when it is not there', async () => {
    expect(await complaint(relay)).toMatch(refusal);
  });

  it('is refused when it is a file', async () => {
    const fd = openSync('/dev/null', 'r');
    onTestFinished(() => closeSync(fd));
    expect(await complaint(relay, fd)).toMatch(refusal);
  });

  it('is refused when it is a Unix socket', async () => {
    const server = createServer().listen(join(temporaryFolder(), 'relay.sock'));
    onTestFinished(() => void server.close());
    expect(await complaint(relay, server)).toMatch(refusal);
  });

  it.each(['2', '0', '-1', 'one'])('is refused when LISTEN_FDS is %s', async (count) => {
    const variables = `LISTEN_PID=$$ LISTEN_FDS=${count}`;
    expect(await complaint({ ...relay, variables })).toBe(
      `Invalid LISTEN_FDS: expected 1 (one socket: one ListenStream= in one socket unit), got "${count}"`,
    );
  });

  it('is told to programs as well', async () => {
    const variables = 'LISTEN_PID=$$ LISTEN_FDS=2';
    const command = openSlot({ ...relay, variables, args: ['--json'] })();
    expect((await command.exited).code).toBe(1);
    expect(JSON.parse(onlyLine(command.stdout()))).toEqual({
      status: 'error',
      error: onlyLine(command.stderr()),
    });
  });

  it('keeps nobody from reading the help', async () => {
    const variables = 'LISTEN_PID=$$ LISTEN_FDS=2';
    const command = openSlot({ ...relay, variables, args: ['--help'] })();
    expect(await command.exited).toEqual({ code: 0, signal: null });
  });
});

describe('systemd-socket-activate', () => {
  const isThere = spawnSync('systemd-socket-activate', ['--version']).status === 0;
  if (!isThere)
    process.stderr.write('SKIPPED systemd-socket-activate: it is not installed (apt-get install systemd)\n');

  it.runIf(isThere)('starts the relay with the first connection, which is answered', async () => {
    const port = await freePort();
    const listen = ['-E', 'PATH', '-l', `127.0.0.1:${port}`, pathOf('openchamber-relay'), '--json'];
    const relayed = spawnRelay({ command: 'systemd-socket-activate', args: listen });
    onTestFinished(() => relayed.stop());
    const raw = await eventually(() => connectRaw(port));
    void raw.write(GET);
    expect(await statusOf(raw)).toBe(200);
    expect(JSON.parse(onlyLine(relayed.stdout()))).toMatchObject({ status: 'ok', host: '127.0.0.1', port });
    relayed.kill('SIGTERM');
    expect(await relayed.exited).toEqual({ code: 0, signal: null });
  });
});
