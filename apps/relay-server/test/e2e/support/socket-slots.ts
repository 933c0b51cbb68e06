import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '@openchambery/testkit';
import type { ExitInfo } from '@openchambery/testkit';
import { expect, onTestFinished } from 'vitest';

export type CommandName = 'openchamber-relay' | 'openchamber-push-relay';

export interface SlotOptions {
  readonly command: CommandName;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the socket listens. @default '127.0.0.1' */
  readonly host?: string;
  /** What systemd sets before it starts the command; `$$` is its process id. @default LISTEN_PID=$$ LISTEN_FDS=1 */
  readonly variables?: string;
}

/** A command that has a socket as its file descriptor 3. */
export interface ActivatedCommand {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when it has written a whole line to stdout; gives it. */
  line(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<ExitInfo>;
}

/** A listening socket as systemd holds it: nobody accepts but the commands that are started with it. */
export interface SocketSlots {
  readonly port: number;
  /** Starts the command in the next slot. */
  start(): ActivatedCommand;
}

/** What a slot gets as its file descriptor 3: a socket or a file. */
export type ThirdFd = Server | number;

/** Opens a socket and `count` slots for processes that share it. Ends with the current test. */
export async function openSlots(options: SlotOptions, count = 1): Promise<SocketSlots> {
  const server = createServer();
  server.listen({ host: options.host ?? '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const slots = Array.from({ length: count }, () => openSlot(options, server));
  // Nobody has connected yet. From now on only the slots hold the socket, and they do not accept.
  server.close();
  await once(server, 'close');
  return {
    port,
    start: () => {
      const slot = slots.shift();
      if (slot === undefined) throw new Error('all slots have been used');
      return slot();
    },
  };
}

/** A shell that waits, and becomes the command under its own process id when it is told to. */
export function openSlot(options: SlotOptions, third?: ThirdFd): () => ActivatedCommand {
  const { command, args = [], env = {}, variables = 'LISTEN_PID=$$ LISTEN_FDS=1' } = options;
  const script = `read -r go && export ${variables} && exec "$0" "$@" </dev/null`;
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn('/bin/sh', ['-c', script, pathOf(command), ...args], {
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['pipe', 'pipe', 'pipe', ...(third === undefined ? [] : [fdOf(third)])],
  });
  const handle = follow(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await handle.exited;
  });
  return () => {
    child.stdin?.end('go\n');
    return handle;
  };
}

/** Node hands on sockets by themselves only through channels of its own. */
function fdOf(third: ThirdFd): number {
  if (typeof third === 'number') return third;
  return (third as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** Where the command is. */
export function pathOf(command: CommandName): string {
  const variable = command === 'openchamber-relay' ? 'OPENCHAMBER_RELAY' : 'OPENCHAMBER_PUSH_RELAY';
  const own = fileURLToPath(new URL(`../../../../../node_modules/.bin/${command}`, import.meta.url));
  return process.env[`${variable}_COMMAND`] ?? own;
}

function follow(child: ChildProcess): ActivatedCommand {
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => (text[stream] += chunk));
  }
  const exited = new Promise<ExitInfo>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    line: async () => {
      await eventually(() => expect(text.stdout, text.stderr).toContain('\n'), { everyMs: 10 });
      return text.stdout.slice(0, text.stdout.indexOf('\n'));
    },
    kill: (signal) => void child.kill(signal),
    exited,
  };
}
