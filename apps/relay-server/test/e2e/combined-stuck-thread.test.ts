import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, openPair, TestHost, withTimeout } from '@openchambery/testkit';
import type { ExitInfo, RelayProcess, TestPair } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preloaded } from './support/bad-stderr.ts';
import { neededVariables, temporaryFolder, withPushPrefix } from './support/push-command.ts';
import { ownRelay } from './support/relay.ts';

// Push API §5, layer 1 §7: push's thread is in a call of the operating system that does not return, as on a disk that
// hangs. Nobody can end such a thread; tunnels do not notice, and the relay ends in time all the same.

interface World {
  readonly relay: RelayProcess;
  readonly pair: TestPair;
}

/** A combined relay with a tunnel, whose thread of push hangs; `onMainThread` is run in it beforehand. */
async function stuckWorld(onMainThread = ''): Promise<World> {
  const folder = temporaryFolder();
  const [hanging, release] = [join(folder, 'hanging'), join(folder, 'release')];
  execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', hanging, release]);
  const script = ['-c', 'echo > "$1"; read line < "$2"', 'sh', hanging, release];
  const env = preloaded(`
    import { execFileSync } from 'node:child_process';
    import { isMainThread } from 'node:worker_threads';
    const channel = new BroadcastChannel('test');
    if (isMainThread) {
      process.on('SIGUSR2', () => channel.postMessage('now'));
      ${onMainThread}
    } else channel.onmessage = () => execFileSync('sh', ${JSON.stringify(script)});
    channel.unref();
  `);
  const relay = await ownRelay({ env: { ...withPushPrefix(neededVariables()), ...env } });
  // The shell outlives a process that is killed.
  onTestFinished(() => writeFile(release, '\n'));
  const host = await TestHost.connect(relay.url);
  const pair = await openPair(relay.url, host);
  relay.kill('SIGUSR2');
  await withTimeout(readFile(hanging), () => 'the thread does not hang');
  return { relay, pair };
}

async function expectTunnel({ client, data }: TestPair): Promise<void> {
  await client.send('over the tunnel');
  expect(await data.text()).toBe('over the tunnel');
}

/** How the process ended, and how long it took from now in ms. */
async function endOf({
  exited,
}: RelayProcess): Promise<{ readonly exit: ExitInfo; readonly tookMs: number }> {
  const startedAt = performance.now();
  const exit = await withTimeout(exited, () => 'still running', 15_000);
  return { exit, tookMs: performance.now() - startedAt };
}

const KILLED = { code: null, signal: 'SIGKILL' };

describe('a thread of push that the operating system keeps', () => {
  it('slows no tunnel, and the relay ends within 10 s of a signal, visibly not in order', async () => {
    const { relay, pair } = await stuckWorld();
    await expectTunnel(pair);
    relay.kill('SIGTERM');
    const { exit, tookMs } = await endOf(relay);
    expect(exit).toEqual(KILLED);
    expect(tookMs).toBeLessThan(10_000);
  });

  it('does not keep a relay that gets a second signal', async () => {
    const { relay } = await stuckWorld();
    relay.kill('SIGTERM');
    await delay(500);
    relay.kill('SIGTERM');
    const { exit, tookMs } = await endOf(relay);
    expect(exit).toEqual(KILLED);
    expect(tookMs).toBeLessThan(2000);
  });

  it('does not keep a relay that crashes, and its last line is written', async () => {
    const { relay } = await stuckWorld(`process.on('SIGHUP', () => { throw new TypeError('boom'); });`);
    relay.kill('SIGHUP');
    const { exit, tookMs } = await endOf(relay);
    expect(exit).toEqual(KILLED);
    expect(tookMs).toBeLessThan(2000);
    expect(relay.stderr()).toContain('"msg":"crashed"');
  });
});
