import type { ServerResponse } from 'node:http';
import { readBody, type Mount } from '@openchambery/daemon';
import {
  encodeUpgrade,
  eventually,
  openPair,
  type RawSocket,
  TestHost,
  type TestPair,
} from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { RelayLogger, RelayServer } from '../../src/index.ts';
import { silentLogger } from '../../src/index.ts';
import { get, start } from './harness.ts';

const SECRET = 'a device token';

/** A mount below /mounted that does what it is told in the path, and keeps what it was told to leave unanswered. */
class ObedientMount implements Mount {
  readonly hanging: ServerResponse[] = [];
  #isDraining = false;
  readonly #onDrain: () => Promise<void>;

  constructor(onDrain: () => Promise<void> = () => Promise.resolve()) {
    this.#onDrain = onDrain;
  }

  readonly owns: Mount['owns'] = ({ url = '' }) => url.startsWith('/mounted/');

  readonly handle: Mount['handle'] = async (request, response) => {
    if (request.url === '/mounted/throw') throw new Error(SECRET);
    if (request.url === '/mounted/hang') return void this.hanging.push(response);
    const body = await readBody(request, 16_384);
    const status = this.#isDraining ? 503 : body === 'too-large' ? 413 : 200;
    response.writeHead(status, { 'content-length': 2 }).end('ok');
  };

  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#onDrain();
  }
}

async function carries({ client, data }: TestPair): Promise<void> {
  await client.send('there');
  expect(await data.text()).toBe('there');
  await data.send('and back');
  expect(await client.text()).toBe('and back');
}

async function setUp(mount = new ObedientMount()): Promise<{
  mount: ObedientMount;
  relay: RelayServer;
  pair: TestPair;
  errors: Record<string, unknown>[];
  connect: () => Promise<RawSocket>;
}> {
  const errors: Record<string, unknown>[] = [];
  const logger: RelayLogger = {
    ...silentLogger,
    error: (fields, message) => void errors.push({ ...fields, message }),
  };
  const { relay, url, connect } = await start({ mounts: [mount], logger, limits: { closeDeadlineMs: 500 } });
  const pair = await openPair(url, await TestHost.connect(url));
  return { mount, relay, pair, errors, connect };
}

describe('a tunnel beside a mount', () => {
  it('runs on while the mount hangs', async () => {
    const { mount, pair, connect } = await setUp();
    for (let i = 0; i < 20; i++) void (await connect()).write(get('/mounted/hang'));
    await eventually(() => expect(mount.hanging).toHaveLength(20));
    await carries(pair);
  });

  it('runs on while the mount throws, which is counted and logged without its message', async () => {
    const { relay, pair, errors, connect } = await setUp();
    const raw = await connect();
    for (let i = 0; i < 30; i++) {
      void raw.write(get('/mounted/throw'));
      expect(await raw.response()).toMatchObject({ status: 500, body: '' });
    }
    await carries(pair);
    expect(relay.snapshot().totals.mountFaults).toBe(30);
    expect(errors).toHaveLength(20);
    expect(errors[0]).toMatchObject({ error: 'Error', message: 'a mounted service threw' });
    expect(JSON.stringify(errors)).not.toContain(SECRET);
  });

  it.each([
    ['tiny chunks', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n'.repeat(100_000)],
    ['an endless chunk', 'Transfer-Encoding: chunked\r\n', `fffffff\r\n${'a'.repeat(5_000_000)}`],
    ['an endless body', 'Content-Length: 1000000000\r\n', 'a'.repeat(5_000_000)],
    ['requests that wait for nothing', 'Content-Length: 1\r\n', `a${get('/mounted/hang').repeat(2000)}`],
  ])('runs on while the mount is flooded: %s', async (_name, headers, body) => {
    const { relay, pair, connect } = await setUp();
    const flood = await Promise.all(Array.from({ length: 10 }, () => connect()));
    for (const raw of flood) void raw.write(get('/mounted/echo', headers).replace('GET', 'POST') + body);
    await carries(pair);
    await Promise.all(flood.map((raw) => raw.ended()));
    await carries(pair);
    for (const raw of flood) raw.destroy();
    await eventually(() => expect(relay.snapshot().rawSockets).toBe(3));
  });
});

describe('an upgrade', () => {
  it('on a path of a mount is what it is on any other path that is not the relay’s', async () => {
    const { connect } = await setUp();
    const heard: unknown[] = [];
    for (const target of ['/elsewhere', '/mounted/echo']) {
      const raw = await connect();
      void raw.write(encodeUpgrade({ target }).bytes);
      heard.push((await raw.responseHead()).status);
      await raw.ended();
      heard.push(raw.unread().toString('latin1'));
    }
    expect(heard.slice(2)).toEqual(heard.slice(0, 2));
    expect(heard[0]).toBe(101);
  });
});

describe('a relay that drains', () => {
  it('hands requests to the mount, on new connections too, until the mount is done', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { relay, connect } = await setUp(new ObedientMount(() => promise));
    const early = await connect();
    const closed = relay.close();
    await eventually(() => expect(relay.snapshot().sockets.client).toBe(0));
    for (const raw of [early, await connect()]) {
      void raw.write(get('/mounted/echo'));
      expect((await raw.response()).status).toBe(503);
      void raw.write(get('/readyz'));
      expect((await raw.response()).status).toBe(503);
    }
    expect(relay.snapshot().state).toBe('draining');
    resolve();
    await closed;
    expect(relay.snapshot()).toMatchObject({ state: 'closed', rawSockets: 0 });
  });

  it('closes only when the answers are out that the mount gave last', async () => {
    const mount: ObedientMount = new ObedientMount(async () => {
      await Promise.resolve();
      for (const response of mount.hanging) response.writeHead(200, { 'content-length': 4 }).end('done');
    });
    const { relay, connect } = await setUp(mount);
    const waiting = await Promise.all(Array.from({ length: 10 }, () => connect()));
    for (const raw of waiting) void raw.write(get('/mounted/hang'));
    await eventually(() => expect(mount.hanging).toHaveLength(10));
    await relay.close();
    for (const raw of waiting) expect(await raw.response()).toMatchObject({ status: 200, body: 'done' });
  });

  it('does not wait for requests whose mount has no wish to finish them', async () => {
    const { mount, relay, connect } = await setUp();
    const raw = await connect();
    void raw.write(get('/mounted/hang'));
    await eventually(() => expect(mount.hanging).toHaveLength(1));
    await relay.close();
    await raw.ended();
  });
});
