import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** How a notification went: the exit code of systemd-notify, or why it was not run. */
export type NotifyOutcome = { readonly exitCode: number } | { readonly code: string };

/** A process that sends notifications, one after the other. */
export interface NotifyHelper {
  /** `assignments` as in sd_notify(3), one or two, without tabs and line ends. */
  send(assignments: readonly string[]): void;
}

/** What a helper tells. */
export interface NotifyListener {
  /** Once for each notification, in their order. */
  onOutcome(outcome: NotifyOutcome): void;
  /** The helper is gone, and what it had not done will not be done. */
  onEnd(outcome: NotifyOutcome): void;
}

/**
 * Lines in, exit codes out; ends with its input. It stays through the signals that stop the daemon, which systemd and
 * terminals send to the whole group, so that it can tell of the stop.
 */
const SCRIPT = `
trap '' TERM INT HUP
while IFS='\t' read -r first second; do
  systemd-notify "$first" \${second:+"$second"} >/dev/null 2>&1
  echo $?
done
`;

/** Starts a helper for the socket of systemd. It never keeps this process alive, nor ends it. */
export function startNotifyHelper(notifySocket: string, listener: NotifyListener): NotifyHelper {
  const child = spawnShell(notifySocket);
  void whenEnded(child).then((outcome) => listener.onEnd(outcome));
  if (child instanceof Error) return { send: () => undefined };
  // Both are missing when this process has no file descriptors left.
  const { stdin, stdout } = child;
  stdin?.on('error', () => {
    // It is gone, which its end tells.
  });
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    // Each line is a single small write, which a pipe does not divide.
    for (const line of text.trimEnd().split('\n')) listener.onOutcome({ exitCode: Number(line) });
  });
  child.unref();
  for (const stream of [stdin, stdout]) (stream as Socket | null)?.unref();
  return { send: (assignments) => void stdin?.write(`${assignments.join('\t')}\n`) };
}

function spawnShell(notifySocket: string): ChildProcess | Error {
  try {
    return spawn('/bin/sh', ['-c', SCRIPT, 'notify'], {
      env: { PATH: process.env['PATH'], NOTIFY_SOCKET: notifySocket },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  } catch (error) {
    // Node throws some reasons and emits others.
    return error instanceof Error ? error : new Error('unknown');
  }
}

function whenEnded(child: ChildProcess | Error): Promise<NotifyOutcome> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve({ code: error.code ?? error.name });
    if (child instanceof Error) return fail(child);
    child.once('error', fail);
    // By then all outcomes have been read.
    child.once('close', (exitCode, signal) => {
      resolve(exitCode === null ? { code: signal ?? 'unknown' } : { exitCode });
    });
  });
}
