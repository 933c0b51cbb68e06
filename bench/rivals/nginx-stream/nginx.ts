import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PairSource } from '../../load/pairs.ts';
import { acceptPeer, connectPeer, type Peer } from '../../load/peer.ts';
import { childrenOf } from '../../measure/process-meter.ts';
import { freePort, startChild } from '../child.ts';
import type { Rival } from '../rival.ts';
import { nginxConfiguration } from './configuration.ts';

const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';

/** The version of the nginx in the path, or undefined. */
export function nginxVersion(): string | undefined {
  return /nginx\/(\S+)/.exec(nginxBuild() ?? '')?.[1];
}

/** Buffer sizes of the two variants: what nginx comes with, and what a Node socket reads at once. */
const bufferSizes = { nginx: '16k', 'nginx-64k': '64k' } as const;

/** nginx as a raw TCP proxy: no WebSocket work at all, the practical limit of a copying relay. */
export function nginxRival(name: keyof typeof bufferSizes): Rival {
  return {
    name,
    unavailable: whyUnavailable(),
    start: async ({ pinning }) => {
      const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
      const listener = await listenForUpstream();
      const port = await freePort();
      const file = join(directory, 'nginx.conf');
      const streamModule = existsSync(STREAM_MODULE) ? STREAM_MODULE : undefined;
      writeFileSync(
        file,
        nginxConfiguration({
          directory,
          port,
          upstreamPort: listener.port,
          bufferSize: bufferSizes[name],
          streamModule,
        }),
      );
      const child = await startChild({ command: ['nginx', '-p', directory, '-c', file], pinning });
      const worker = await workerOf(child.pid);
      const source = proxyPairSource(port, listener);
      return {
        name,
        port,
        pid: worker,
        open: (count) => source.open(count),
        dispose: () => source.dispose(),
        stop: async () => {
          source.dispose();
          await child.stop();
          rmSync(directory, { recursive: true, force: true });
        },
      };
    },
  };
}

interface UpstreamListener {
  readonly port: number;
  readonly server: Server;
  /** The next connection that the proxy makes. */
  next(): Promise<Peer>;
}

function listenForUpstream(): Promise<UpstreamListener> {
  return new Promise((resolve, reject) => {
    let deliver: ((peer: Peer) => void) | undefined;
    const server = createServer((socket) => deliver?.(acceptPeer(socket)));
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
      const address = server.address();
      if (typeof address !== 'object' || address === null) {
        reject(new Error('the listener has no port'));
        return;
      }
      resolve({
        port: address.port,
        server,
        next: () =>
          new Promise((accept) => {
            deliver = accept;
          }),
      });
    });
  });
}

/** One pair at a time, so that it is known which accepted connection belongs to which client. */
function proxyPairSource(port: number, listener: UpstreamListener): PairSource {
  return {
    open: async (count) => {
      const pairs = [];
      for (let index = 0; index < count; index += 1) {
        const [host, client] = await Promise.all([listener.next(), connectPeer({ port })]);
        pairs.push({ client, host });
      }
      return pairs;
    },
    dispose: () => {
      listener.server.close();
    },
  };
}

async function workerOf(master: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const [worker] = childrenOf(master);
    if (worker !== undefined) {
      return worker;
    }
    await sleep(50);
  }
  throw new Error('nginx started no worker');
}

function whyUnavailable(): string | undefined {
  const build = nginxBuild();
  if (build === undefined) {
    return 'nginx is not installed (apt-get install nginx libnginx-mod-stream)';
  }
  const builtIn = /--with-stream(?!=dynamic|_)/.test(build);
  return builtIn || existsSync(STREAM_MODULE)
    ? undefined
    : 'nginx has no stream module (apt-get install libnginx-mod-stream)';
}

/** What `nginx -V` prints (on stderr), or undefined without nginx. */
function nginxBuild(): string | undefined {
  const result = spawnSync('nginx', ['-V'], { encoding: 'utf8' });
  return result.error === undefined ? result.stderr : undefined;
}
