import { freePort, spawnRelay, startRelay, withTimeout } from '@openchambery/testkit';
import type { ExitInfo, RelayCommand, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fullPipe, preloaded, relayWithStderrAt } from './support/bad-stderr.ts';
import type { FullPipe } from './support/bad-stderr.ts';
import { request } from './support/http.ts';
import { halfRawPair } from './support/raw-pair.ts';
import { ownRelay, roomy } from './support/relay.ts';
import { connectHost, expectCloseFrame, refusal } from './support/sockets.ts';

// Whatever becomes of the log: the relay serves, and ends when and how it promised to.

const crashOnSignal = preloaded(`process.on('SIGUSR2', () => { throw new TypeError('boom'); });`);

/** Fails the lookup of any host name, but not before the process is told to stop. */
const failLookupOnSigterm = preloaded(`
  import dns from 'node:dns';
  dns.lookup = (host, options, done) => {
    const pending = setTimeout(() => {}, 60_000);
    process.once('SIGTERM', () => {
      clearTimeout(pending);
      setImmediate(done, Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    });
    console.log('looking up');
  };
`);

/** A relay that has lines to log, and a stderr that takes none. */
async function stuckRelay(): Promise<{ readonly relay: RelayProcess; readonly pipe: FullPipe }> {
  const pipe = fullPipe();
  const limits = { ...roomy, LOG_LEVEL: 'debug' };
  const relay = await ownRelay({ command: relayWithStderrAt(pipe.path), limits, env: crashOnSignal });
  // Two lines, as the first is with the operating system while others wait in the relay.
  expect((await refusal(relay, 'v=9')).code).toBe(1008);
  await connectHost(relay);
  return { relay, pipe };
}

/** Whether the log has what {@link stuckRelay} did. */
function hasAllLines(text: string): boolean {
  return text.includes('"upgrade refused"}\n') && text.includes('"host online"}\n');
}

function exitOf(relay: RelayCommand): Promise<ExitInfo> {
  return withTimeout(relay.exited, () => 'still running', 10_000);
}

describe('a stderr that fails', () => {
  it('stops neither the relay nor its end', async () => {
    const relay = await ownRelay({ command: relayWithStderrAt('/dev/full') });
    for (let i = 0; i < 3; i++) expect((await refusal(relay, 'v=9')).code).toBe(1008);
    expect((await request(relay, { path: '/healthz' })).status).toBe(200);
    relay.kill('SIGTERM');
    expect(await exitOf(relay)).toEqual({ code: 0, signal: null });
  });

  it('does not keep a crashed relay', async () => {
    const relay = await ownRelay({ command: relayWithStderrAt('/dev/full'), env: crashOnSignal });
    relay.kill('SIGUSR2');
    expect(await exitOf(relay)).toEqual({ code: 1, signal: null });
  });
});

describe('a stderr that nobody reads', () => {
  it('stops neither the relay nor its end', async () => {
    const { relay } = await stuckRelay();
    expect((await request(relay, { path: '/healthz' })).status).toBe(200);
    relay.kill('SIGTERM');
    expect(await exitOf(relay)).toEqual({ code: 0, signal: null });
  });

  it('does not delay the exit at a second signal', async () => {
    const { relay } = await stuckRelay();
    const { raw } = await halfRawPair(relay, await connectHost(relay), 'client');
    relay.kill('SIGTERM');
    await expectCloseFrame(raw, 1012);
    const startedAt = performance.now();
    relay.kill('SIGINT');
    expect(await exitOf(relay)).toEqual({ code: 130, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('does not keep a crashed relay', async () => {
    const { relay } = await stuckRelay();
    relay.kill('SIGUSR2');
    expect(await exitOf(relay)).toEqual({ code: 1, signal: null });
  });

  it('gets the lines that waited once it is read again', async () => {
    const { relay, pipe } = await stuckRelay();
    await pipe.read(hasAllLines);
    expect((await refusal(relay, 'v=9')).code).toBe(1008);
  });

  it('gets the last lines when it is read before the relay ends', async () => {
    const { relay, pipe } = await stuckRelay();
    relay.kill('SIGTERM');
    await pipe.read(hasAllLines);
    expect((await exitOf(relay)).code).toBe(0);
  });
});

describe('the last line', () => {
  it('of a crash is in the log', async () => {
    const relay = await ownRelay({ env: crashOnSignal });
    relay.kill('SIGUSR2');
    expect((await exitOf(relay)).code).toBe(1);
    const lines = relay.stderr().trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'fatal', error: 'TypeError', msg: 'crashed' });
  });

  it('of a failed start says why, though a signal came meanwhile', async () => {
    const args = ['--host', 'relay.invalid', '--port', String(await freePort())];
    const relay = spawnRelay({ args, env: failLookupOnSigterm });
    onTestFinished(() => relay.stop());
    await relay.output('stdout', (text) => text === 'looking up\n');
    relay.kill('SIGTERM');
    expect((await exitOf(relay)).code).toBe(1);
    expect(relay.stderr()).toMatch(/^Cannot listen on relay\.invalid:\d+: [^\n]*\(ENOTFOUND\)\n$/u);
  });
});

describe('a start that fails while nobody reads stderr', () => {
  it('ends with 1', async () => {
    const taken = await startRelay();
    onTestFinished(() => taken.stop());
    const args = ['--port', String(taken.port)];
    const relay = spawnRelay({ args, command: relayWithStderrAt(fullPipe().path) });
    onTestFinished(() => relay.stop());
    expect((await exitOf(relay)).code).toBe(1);
  });
});
