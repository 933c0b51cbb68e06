import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem } from 'node:os';
import type { Machine, Versions } from '../results.ts';
import { nginxVersion } from '../rivals/nginx-stream/nginx.ts';
import type { Pinning } from './pinning.ts';

/** What the figures were taken on. */
export function describeMachine(pinning: Pinning | undefined, contention: number): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    contention,
    pinning:
      pinning === undefined
        ? 'not pinned'
        : `generator on core ${pinning.generatorCore}, relay on core ${pinning.relayCore}`,
  };
}

/** The versions of everything that was measured. */
export function describeVersions(): Versions {
  return {
    node: process.version,
    ws: packageVersion('ws/package.json'),
    bufferutil: bufferutilLoads() ? 'loaded' : 'not loaded',
    nginx: nginxVersion() ?? 'not available',
    commit: commitOf(),
  };
}

function packageVersion(manifest: string): string {
  const path = createRequire(import.meta.url).resolve(manifest);
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const version =
    typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof version === 'string' ? version : 'unknown';
}

/** Whether `ws` finds its native unmasking, which it looks for beside itself. */
function bufferutilLoads(): boolean {
  const fromWs = createRequire(createRequire(import.meta.url).resolve('ws'));
  try {
    fromWs('bufferutil');
    return true;
  } catch {
    return false;
  }
}

function commitOf(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
    const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim() !== '';
    return changed ? `${commit} with local changes` : commit;
  } catch {
    return 'unknown';
  }
}
