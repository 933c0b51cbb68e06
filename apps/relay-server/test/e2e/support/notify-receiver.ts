import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from '@openchambery/testkit';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from './push-command.ts';

/** Node has no datagrams of Unix sockets. File descriptors that come along (BARRIER=1) are closed by not taking them. */
const PROGRAM = `
import json, socket, sys
name = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(chr(0) + name[1:] if name[0] == '@' else name)
print(json.dumps('bound'), flush=True)
while True:
    print(json.dumps(receiver.recv(65536).decode()), flush=True)
`;

/** What the tests of notifications need, and this machine lacks. */
export const missingForNotify: readonly string[] = ['python3', 'systemd-notify'].filter(
  (command) => spawnSync(command, ['--version']).status !== 0,
);

/** Stands in for systemd. */
export interface NotifyReceiver {
  /** For NOTIFY_SOCKET. */
  readonly socket: string;
  /** All datagrams so far, but for those by which systemd-notify waits for its receiver. */
  received(): readonly string[];
  /** Waits for this many of them. */
  take(count: number): Promise<readonly string[]>;
}

/** Where the receiver's socket is: a file, or a name of Linux's abstract namespace. */
export type SocketKind = 'path' | 'abstract';

/** A receiver for the current test. */
export async function openNotifyReceiver(kind: SocketKind = 'path'): Promise<NotifyReceiver> {
  const path = join(temporaryFolder(), 'notify');
  const socket = kind === 'path' ? path : `@${path}`;
  const child = spawn('python3', ['-c', PROGRAM, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const datagrams = (): readonly string[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as string)
      .filter((datagram) => datagram !== 'BARRIER=1');
  await eventually(() => expect(datagrams()).toHaveLength(1), { everyMs: 10 });
  const received = (): readonly string[] => datagrams().slice(1);
  return {
    socket,
    received,
    take: async (count) => {
      await eventually(() => expect(received().length).toBeGreaterThanOrEqual(count), { everyMs: 10 });
      return received();
    },
  };
}
