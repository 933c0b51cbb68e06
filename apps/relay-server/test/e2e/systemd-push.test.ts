import { RawSocket, withTimeout } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neededVariables, onlyLine, withPushPrefix } from './support/push-command.ts';
import { openSlot, openSlots } from './support/socket-slots.ts';
import type { ActivatedCommand, SlotOptions } from './support/socket-slots.ts';

// sd_listen_fds(3) for push: as a command of its own, and in combined mode.

const commands = ['openchamber-push-relay', 'openchamber-relay'] as const;
const REQUEST =
  'POST /v1/push/send HTTP/1.1\r\nHost: push\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

/** With everything that push needs; both processes of a restart have the same database. */
function withPush(command: SlotOptions['command'], options: Partial<SlotOptions> = {}): SlotOptions {
  return { command, ...options, env: withPushPrefix(neededVariables()) };
}

async function ask(port: number): Promise<RawSocket> {
  const raw = await RawSocket.connect({ port });
  onTestFinished(() => raw.destroy());
  void raw.write(REQUEST);
  return raw;
}

async function end(command: ActivatedCommand): Promise<void> {
  command.kill('SIGTERM');
  const exit = await withTimeout(command.exited, () => `it does not end: ${command.stderr()}`, 15_000);
  expect(exit, command.stderr()).toEqual({ code: 0, signal: null });
}

describe.each(commands)('%s with push', (command) => {
  it('serves an inherited socket, and lets those wait who connect during a restart', async () => {
    const slots = await openSlots(withPush(command), 2);
    const first = slots.start();
    await first.line();
    expect((await (await ask(slots.port)).responseHead()).status).toBe(400);
    await end(first);
    const waiting = await Promise.all(Array.from({ length: 5 }, () => ask(slots.port)));
    const second = slots.start();
    for (const raw of waiting) expect((await raw.responseHead()).status).toBe(400);
    await end(second);
  });

  it('ends with one line when the socket is none', async () => {
    const broken = openSlot(withPush(command))();
    expect(await broken.exited, broken.stdout()).toEqual({ code: 1, signal: null });
    expect(onlyLine(broken.stderr())).toContain('Cannot listen on file descriptor 3 (LISTEN_FDS)');
  });

  it('ends with one line when there are two', async () => {
    const variables = 'LISTEN_PID=$$ LISTEN_FDS=2';
    const broken = openSlot(withPush(command, { variables }))();
    expect(await broken.exited, broken.stdout()).toEqual({ code: 1, signal: null });
    expect(onlyLine(broken.stderr())).toContain('Invalid LISTEN_FDS: expected 1');
  });
});

describe('what is announced', () => {
  it('is the address of the socket, for the push relay', async () => {
    const slots = await openSlots(withPush('openchamber-push-relay', { args: ['--json', '--port', '1'] }));
    const { port } = slots;
    expect(JSON.parse(await slots.start().line())).toEqual({
      status: 'ok',
      url: `http://127.0.0.1:${port}`,
      host: '127.0.0.1',
      port,
    });
  });

  it('is the address of the socket, in combined mode', async () => {
    const slots = await openSlots(withPush('openchamber-relay', { args: ['--json', '--port', '1'] }));
    const { port } = slots;
    expect(JSON.parse(await slots.start().line())).toEqual({
      status: 'ok',
      url: `ws://127.0.0.1:${port}/ws`,
      host: '127.0.0.1',
      port,
      path: '/ws',
      push: true,
    });
  });
});
