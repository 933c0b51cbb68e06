import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, withTimeout } from '@openchambery/testkit';
import { isAnswering } from './secure-request.ts';

/** Which file of deploy/ runs: two upstreams, one for both, or beside another site. */
export type Variant = 'relay-push' | 'one-upstream' | 'path-prefix';

/** What a proxy stands before; every address is `host:port`. */
export interface ProxyPlan {
  readonly variant: Variant;
  readonly relay: string;
  readonly push: string;
  /** The other site of `path-prefix`. */
  readonly site: string;
  /** An idle tunnel is cut after this many seconds. @default what the file says */
  readonly tunnelIdleSeconds?: number;
}

/** Where one run of a proxy has its files and listens. */
export interface ProxyPlace {
  readonly folder: string;
  readonly httpsPort: number;
  readonly httpPort: number;
}

/** How to run one kind of proxy. */
export interface ProxyKind {
  readonly name: 'caddy' | 'nginx' | 'haproxy';
  /** Whether the proxy itself ends tunnels in which nothing moves. */
  readonly cutsIdleTunnels: boolean;
  /** What becomes of open tunnels when it reads its configuration anew. */
  readonly tunnelsOnReload: 'stay' | 'are closed';
  /** What it says to a body beyond its own limit; the push relay's is far lower. */
  readonly tooLong: readonly number[];
  /** Whether requests that went well are in its log. */
  readonly logsRequests: boolean;
  /** Writes the configuration and says how it is run in the foreground. */
  readonly prepare: (plan: ProxyPlan, place: ProxyPlace) => Promise<ProxyCommand>;
}

export interface ProxyCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How it is told to read its configuration anew: a signal to it, or the arguments of another call. */
  readonly reload: NodeJS.Signals | readonly string[];
  /** The CA of its certificate, once it listens. */
  readonly trust: () => void;
}

/** A proxy that answers. */
export interface RunningProxy {
  readonly port: number;
  readonly httpPort: number;
  /** All it has written to its logs. */
  readonly log: () => string;
  /** Resolves when the new configuration is in use. */
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a proxy on free ports and waits until it answers. */
export async function startProxy(kind: ProxyKind, plan: ProxyPlan): Promise<RunningProxy> {
  for (let attempt = 1; ; attempt++) {
    const folder = mkdtempSync(join(tmpdir(), `proxy-${kind.name}-`));
    const place = { folder, httpsPort: await freePort(), httpPort: await freePort() };
    const command = await kind.prepare(plan, place);
    const { child, output, exited } = run(command);
    const stop = async (): Promise<void> => {
      signalGroup(child, 'SIGTERM');
      // Tunnels may keep it: what a test has left open is of no interest any more.
      await withTimeout(exited, () => 'SIGTERM is not enough', 2000).catch(() =>
        signalGroup(child, 'SIGKILL'),
      );
      await exited;
      rmSync(folder, { recursive: true, force: true });
    };
    const ended = exited.then(() => Promise.reject(new Error(`${kind.name} ended: ${output()}`)));
    try {
      await Promise.race([ended, eventually(() => probe(command, place))]);
      ended.catch(() => 'its tests notice');
      return {
        port: place.httpsPort,
        httpPort: place.httpPort,
        log: () => output() + readLogs(folder),
        reload: () => reload(command, child.pid ?? 0),
        stop,
      };
    } catch (error) {
      await stop();
      // Another process may have taken a port since freePort() found it.
      const raced = /address (?:already )?in use|cannot bind/iu.test(output());
      if (!raced || attempt === 3) throw error;
    }
  }
}

async function probe(command: ProxyCommand, { httpsPort }: ProxyPlace): Promise<void> {
  command.trust();
  if (!(await isAnswering(httpsPort))) throw new Error('it does not answer');
}

async function reload({ command, args, env, reload: how }: ProxyCommand, pid: number): Promise<void> {
  if (typeof how !== 'string') {
    const { exited, output, child } = run({ command, args: how, ...(env === undefined ? {} : { env }) });
    await withTimeout(exited, () => `still reloading: ${output()}`);
    if (child.exitCode !== 0) throw new Error(`${command} ${args.join(' ')} does not reload: ${output()}`);
    return;
  }
  const children = (): string[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const before = new Set(children());
  process.kill(pid, how);
  await eventually(() => {
    if (children().every((child) => before.has(child))) throw new Error('there is no new worker yet');
  });
}

function run({ command, args, env = {} }: Pick<ProxyCommand, 'command' | 'args' | 'env'>): {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<void>;
} {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin`;
  const child = spawn(command, args, {
    env: { PATH: path, HOME: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // nginx has workers: they are ended together.
    detached: true,
  });
  let text = '';
  const take = (chunk: string): void => void (text += chunk);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const onExit = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', onExit);
  const exited = new Promise<void>((resolve) => {
    const finish = (): void => {
      process.off('exit', onExit);
      resolve();
    };
    child.once('error', (error) => {
      text += error.message;
      finish();
    });
    child.once('close', finish);
  });
  return { child, output: () => text, exited };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // The group is gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readLogs(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
