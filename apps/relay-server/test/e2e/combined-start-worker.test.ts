import {
  eventually,
  makeDeviceToken,
  makeIdentity,
  openPair,
  PUSH_PREFIX,
  RawSocket,
  registerRequest,
  sendRequest,
  startFakeApns,
  TestHost,
  withTimeout,
} from '@openchambery/testkit';
import type { FakeApns, PushRequest, RelayProcess, TestPair } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preloaded } from './support/bad-stderr.ts';
import { neededVariables, withPushPrefix } from './support/push-command.ts';
import { ownRelay } from './support/relay.ts';

// Push API §5: whatever becomes of push's thread, tunnels go on and the relay ends as it promised.

/** Makes push's thread run `code` when the process gets SIGUSR2. */
function onSignalInWorker(code: string): Readonly<Record<string, string>> {
  return preloaded(`
    import { isMainThread } from 'node:worker_threads';
    const channel = new BroadcastChannel('test');
    if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('now'));
    else channel.onmessage = () => { ${code} };
    channel.unref();
  `);
}

const CRASH = onSignalInWorker(`throw new TypeError('SEC' + 'RET');`);
const HANG = onSignalInWorker('for (;;);');
const OUT_OF_MEMORY = onSignalInWorker(
  'const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()));',
);

interface World {
  readonly relay: RelayProcess;
  readonly pair: TestPair;
}

/** A combined relay with a tunnel. */
async function world(env: Readonly<Record<string, string>>): Promise<World> {
  const relay = await ownRelay({ env: { ...withPushPrefix(neededVariables()), ...env } });
  const host = await TestHost.connect(relay.url);
  return { relay, pair: await openPair(relay.url, host) };
}

async function expectTunnel({ client, data }: TestPair): Promise<void> {
  await client.send('over the tunnel');
  expect(await data.text()).toBe('over the tunnel');
  await data.send('and back');
  expect(await client.text()).toBe('and back');
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly cacheControl: string | null;
}

async function post(relay: RelayProcess, { path, body }: PushRequest): Promise<Answer> {
  const response = await fetch(`http://${relay.authority}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    json: await response.json(),
    cacheControl: response.headers.get('cache-control'),
  };
}

function register(relay: RelayProcess): Promise<Answer> {
  return post(relay, registerRequest(makeIdentity(), makeDeviceToken()));
}

const OK = { status: 200, json: { ok: true }, cacheControl: 'no-store' };
const INTERNAL = { status: 500, json: { error: 'internal' }, cacheControl: 'no-store' };

async function expectOrderlyEnd(relay: RelayProcess): Promise<void> {
  const startedAt = performance.now();
  relay.kill('SIGTERM');
  expect(await withTimeout(relay.exited, () => 'still running', 11_000)).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
}

describe('a thread of push that dies', () => {
  it.each([
    ['of an exception', CRASH, 'TypeError'],
    ['of too much memory', OUT_OF_MEMORY, 'ERR_WORKER_OUT_OF_MEMORY'],
  ])('%s stops no tunnel, is told once, and is replaced', async (_what, env, named) => {
    const { relay, pair } = await world(env);
    expect(await register(relay)).toEqual(OK);
    relay.kill('SIGUSR2');
    const log = await relay.output('stderr', (text) => text.includes('push has stopped'));
    expect(await register(relay)).toEqual(INTERNAL);
    await expectTunnel(pair);
    expect(log).toContain(named);
    expect(log).not.toContain('SECRET');
    await eventually(async () => expect(await register(relay)).toEqual(OK));
    expect(relay.stderr().match(/push has stopped/gu)).toHaveLength(1);
    await expectTunnel(pair);
    await expectOrderlyEnd(relay);
  });
});

describe('a thread of push that hangs', () => {
  it('slows no tunnel, and does not keep the relay', async () => {
    const { relay, pair } = await world(HANG);
    expect(await register(relay)).toEqual(OK);
    relay.kill('SIGUSR2');
    await expectTunnel(pair);
    const hanging = register(relay);
    await expectTunnel(pair);
    await expectOrderlyEnd(relay);
    expect(await hanging).toEqual({
      status: 503,
      json: { error: 'shutting_down' },
      cacheControl: 'no-store',
    });
  });
});

describe('the shutdown', () => {
  /** A combined relay whose pushes go to a service of ours. */
  async function relayWithApns(): Promise<{ readonly relay: RelayProcess; readonly apns: FakeApns }> {
    const apns = await startFakeApns();
    onTestFinished(() => apns.close());
    const variables = { ...neededVariables(), APNS_SANDBOX_URL: apns.url };
    const env = { ...withPushPrefix(variables), NODE_EXTRA_CA_CERTS: apns.caFile };
    return { relay: await ownRelay({ env }), apns };
  }

  it('lets a delivery finish, refuses what comes later, and ends with 0', async () => {
    const { relay, apns } = await relayWithApns();
    const identity = makeIdentity();
    const token = makeDeviceToken();
    expect(await post(relay, registerRequest(identity, token))).toEqual(OK);
    apns.script(token, { status: 200, delayMs: 2000 });
    const sent = post(relay, sendRequest(identity, { tokens: [token], title: 'hello' }));
    await apns.waitForRequests(1);
    relay.kill('SIGTERM');
    await eventually(async () => {
      const { status, json } = await register(relay);
      expect([status, json]).toEqual([503, { error: 'shutting_down' }]);
    });
    expect((await fetch(`http://${relay.authority}/readyz`)).status).toBe(503);
    expect(await sent).toMatchObject({ status: 200, json: { results: [{ token, ok: true }] } });
    expect(await withTimeout(relay.exited, () => 'still running', 11_000)).toEqual({ code: 0, signal: null });
  });

  it('does not wait for a body that never comes', async () => {
    const { relay } = await world({});
    const socket = await RawSocket.connect(relay);
    onTestFinished(() => socket.destroy());
    const head = `POST /v1/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`;
    await socket.write(head);
    await expectOrderlyEnd(relay);
    expect(relay.stderr()).not.toContain(PUSH_PREFIX);
  });
});
