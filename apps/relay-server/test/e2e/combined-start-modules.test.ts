import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, runPush, runRelay, spawnRelay } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preloaded } from './support/bad-stderr.ts';
import { neededVariables, withPushPrefix } from './support/push-command.ts';

// A relay without a variable about Apple never loads push; neither command loads the other.

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

const appFolder = fileURLToPath(new URL('../..', import.meta.url));
const graph = JSON.parse(readFileSync(join(appFolder, 'dist', 'bundle-graph.json'), 'utf8')) as {
  readonly outputs: Readonly<Record<string, Output>>;
};

const PUSH_ONLY = /^(?:node:sqlite|node:http2|hono|jose|valibot|@hono\/|.*packages\/push\/)/u;
const RELAY_ONLY = /packages\/relay\//u;

/** Sources and packages that a program loads before it runs its first line. */
function staticClosure(entry: string): readonly string[] {
  const modules = new Set<string>();
  const files = [`dist/${entry}.js`];
  for (const file of files) {
    const output = graph.outputs[file];
    if (output === undefined) throw new Error(`${file} is not in the graph`);
    for (const input of Object.keys(output.inputs)) modules.add(input);
    for (const { path, kind, external } of output.imports) {
      if (kind === 'dynamic-import') continue;
      if (external === true) modules.add(path);
      else if (!files.includes(path)) files.push(path);
    }
  }
  return [...modules];
}

/** Makes a process tell on stderr what it loads, worker threads included. */
const tellLoads = preloaded(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      writeSync(2, 'LOADS ' + result.url + '\\n');
      return result;
    },
  });
`);

/** What was loaded, in the terms of the graph: sources of our own, packages, modules of Node. */
function loadedModules(stderr: string): readonly string[] {
  const urls = stderr.split('\n').flatMap((line) => /^LOADS (?<url>.*)$/u.exec(line)?.groups?.['url'] ?? []);
  expect(urls.length, stderr).toBeGreaterThan(5);
  return urls.flatMap((url) => {
    const file = /\/(?<file>dist\/(?:chunks\/)?[^/]+[.]js)$/u.exec(url)?.groups?.['file'];
    const output = file === undefined || url.includes('node_modules/') ? undefined : graph.outputs[file];
    if (output !== undefined) return Object.keys(output.inputs);
    return [url.replace(/^.*node_modules\//u, '')];
  });
}

/** Runs a relay until it listens, and gives back what it has loaded by then. */
async function loadedByRelay(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const args = ['--port', String(await freePort())];
  const relay = spawnRelay({ args, env: { ...tellLoads, ...env } });
  onTestFinished(() => relay.stop());
  await relay.output('stdout', (text) => text.endsWith('\n'));
  relay.kill('SIGTERM');
  await relay.exited;
  return loadedModules(relay.stderr());
}

function only(modules: readonly string[], pattern: RegExp): readonly string[] {
  return modules.filter((module) => pattern.test(module));
}

describe('the module graph', () => {
  it('of the relay has nothing of push', () => {
    const modules = staticClosure('openchamber-relay');
    expect(only(modules, RELAY_ONLY).length).toBeGreaterThan(10);
    expect(only(modules, PUSH_ONLY)).toEqual([]);
    expect(modules).not.toContain('node:worker_threads');
  });

  it("of the push relay has nothing of the relay, and of push no more than its options' checks", () => {
    const modules = staticClosure('openchamber-push-relay');
    expect(only(modules, RELAY_ONLY)).toEqual([]);
    expect(
      only(modules, PUSH_ONLY).filter((module) => !/push\/src\/(?:options|apns|fcm)\//u.test(module)),
    ).toEqual([]);
    expect(modules).not.toContain('node:sqlite');
  });

  it('of the worker needs nothing before its warnings are hidden', () => {
    expect(only(staticClosure('push-worker'), PUSH_ONLY)).toEqual([]);
  });
});

describe('at run time', () => {
  it('a relay by itself loads nothing of push, whatever else is set for push', async () => {
    const modules = await loadedByRelay(withPushPrefix({ DATABASE_PATH: 'x', URL: 'y', APNS_KEY_ID: ' ' }));
    expect(only(modules, RELAY_ONLY).length).toBeGreaterThan(10);
    expect(only(modules, PUSH_ONLY)).toEqual([]);
  });

  it('a relay with push loads it', async () => {
    const modules = await loadedByRelay(withPushPrefix(neededVariables()));
    expect(modules).toContain('node:sqlite');
    expect(only(modules, /packages\/push\/src\/sqlite\//u).length).toBeGreaterThan(0);
  });

  it('--help of the relay loads nothing of push, that of push nothing of the relay', async () => {
    const relay = await runRelay({
      args: ['--help'],
      env: { ...tellLoads, ...withPushPrefix(neededVariables()) },
    });
    expect(only(loadedModules(relay.stderr), PUSH_ONLY)).toEqual([]);
    const push = loadedModules((await runPush({ args: ['--help'], env: tellLoads })).stderr);
    expect(only(push, RELAY_ONLY)).toEqual([]);
    expect(push).not.toContain('node:sqlite');
  });
});
