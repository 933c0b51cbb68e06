import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, eventually, freePort, spawnPush, spawnRelay } from '@openchambery/testkit';
import type { RelayCommand } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingForNotify, openNotifyReceiver } from './support/notify-receiver.ts';
import type { NotifyReceiver } from './support/notify-receiver.ts';
import { neededVariables, temporaryFolder, withPushPrefix } from './support/push-command.ts';

// sd_notify(3): readiness, signs of life, and the stop, told to a receiver of real datagrams.

if (missingForNotify.length > 0) {
  process.stderr.write(`SKIPPED notifications of systemd: there is no ${missingForNotify.join(', ')}\n`);
}
const canReceive = missingForNotify.length === 0;

type Variables = Readonly<Record<string, string>>;

interface Started {
  readonly command: RelayCommand;
  readonly port: number;
}

async function start(env: Variables, spawn: typeof spawnRelay = spawnRelay): Promise<Started> {
  const port = await freePort();
  const command = spawn({ args: ['--port', String(port)], env });
  onTestFinished(() => command.stop());
  return { command, port };
}

async function end({ command }: Started): Promise<void> {
  command.kill('SIGTERM');
  expect(await command.exited, command.stderr()).toEqual({ code: 0, signal: null });
}

const STOPPING = 'STOPPING=1\nSTATUS=Stopping: connections are being closed';

async function expectLife(receiver: NotifyReceiver, started: Started, status: string): Promise<void> {
  expect(await receiver.take(1)).toEqual([`READY=1\nSTATUS=${status}`]);
  await end(started);
  expect(await receiver.take(2)).toEqual([`READY=1\nSTATUS=${status}`, STOPPING]);
}

describe.runIf(canReceive)('a daemon tells systemd', () => {
  it.each(['path', 'abstract'] as const)('that it is ready, and that it stops; %s', async (kind) => {
    const receiver = await openNotifyReceiver(kind);
    const started = await start({ NOTIFY_SOCKET: receiver.socket });
    await expectLife(receiver, started, `Relay listening at ws://127.0.0.1:${started.port}/ws`);
    expect(started.command.stderr()).toBe('');
  });

  it('the same as a push relay', async () => {
    const receiver = await openNotifyReceiver();
    const env = { ...withPushPrefix(neededVariables()), NOTIFY_SOCKET: receiver.socket };
    const started = await start(env, spawnPush);
    await expectLife(receiver, started, `Push relay listening at http://127.0.0.1:${started.port}`);
  });

  it('in combined mode when push is ready, too', async () => {
    const receiver = await openNotifyReceiver();
    const env = { ...withPushPrefix(neededVariables()), NOTIFY_SOCKET: receiver.socket };
    const started = await start(env);
    await receiver.take(1);
    const url = `http://127.0.0.1:${started.port}/v1/push/send`;
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    await expectLife(receiver, started, `Relay listening at ws://127.0.0.1:${started.port}/ws`);
  });

  it('nothing when it cannot start', async () => {
    const receiver = await openNotifyReceiver();
    const broken = { ...neededVariables(), DATABASE_PATH: '/dev/null/push.sqlite' };
    const { command } = await start({ ...withPushPrefix(broken), NOTIFY_SOCKET: receiver.socket });
    expect((await command.exited).code).toBe(1);
    const later = await start({ NOTIFY_SOCKET: receiver.socket });
    await expectLife(receiver, later, `Relay listening at ws://127.0.0.1:${later.port}/ws`);
  });
});

describe.runIf(canReceive)('the watchdog', () => {
  const watchdog = { WATCHDOG_USEC: '400000' };

  it('hears of life at half of its time', async () => {
    const receiver = await openNotifyReceiver();
    const started = await start({ NOTIFY_SOCKET: receiver.socket, ...watchdog });
    const startedAt = performance.now();
    expect((await receiver.take(6)).slice(1)).toEqual(Array.from({ length: 5 }, () => 'WATCHDOG=1'));
    expect(performance.now() - startedAt).toBeGreaterThan(5 * 190);
    await end(started);
    await eventually(() => expect(receiver.received().at(-1)).toBe(STOPPING));
  });

  it('hears nothing from a process that is stopped', async () => {
    const receiver = await openNotifyReceiver();
    const { command } = await start({ NOTIFY_SOCKET: receiver.socket, ...watchdog });
    await receiver.take(2);
    command.kill('SIGSTOP');
    // One may be on its way.
    const heard = await eventually(async () => {
      const { length } = receiver.received();
      await delay(1000);
      expect(receiver.received()).toHaveLength(length);
      return length;
    });
    command.kill('SIGCONT');
    await receiver.take(heard + 1);
  });

  it('waits for another process when WATCHDOG_PID says so', async () => {
    const receiver = await openNotifyReceiver();
    const started = await start({
      NOTIFY_SOCKET: receiver.socket,
      WATCHDOG_PID: '1',
      WATCHDOG_USEC: '20000',
    });
    await receiver.take(1);
    await delay(300);
    await end(started);
    expect((await receiver.take(2)).at(-1)).toBe(STOPPING);
  });
});

describe('a notification that fails', () => {
  async function expectService(env: Variables): Promise<unknown> {
    const started = await start({ WATCHDOG_USEC: '100000', ...env });
    await started.command.output('stdout', (text) => text.includes('listening'));
    await started.command.output('stderr', (text) => text.includes('\n'));
    // Signs of life fail as well, and are not told again.
    await delay(500);
    expect((await fetch(`http://127.0.0.1:${started.port}/healthz`)).status).toBe(200);
    await end(started);
    const lines = started.command.stderr().trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? '');
  }

  const warning = { level: 'warn', msg: 'systemd cannot be told about this process' };

  it.runIf(canReceive)('harms nothing: nobody listens there', async () => {
    const nowhere = join(temporaryFolder(), 'nowhere');
    expect(await expectService({ NOTIFY_SOCKET: nowhere })).toMatchObject({ ...warning, exitCode: 1 });
  });

  it('harms nothing: systemd-notify ends with an error', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'systemd-notify'), '#!/bin/sh\nexit 42\n');
    chmodSync(join(folder, 'systemd-notify'), 0o755);
    const env = { NOTIFY_SOCKET: '/nowhere', PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    expect(await expectService(env)).toMatchObject({ ...warning, exitCode: 42 });
  });
});
