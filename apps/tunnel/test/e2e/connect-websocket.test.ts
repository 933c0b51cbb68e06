import { once } from 'node:events';
import { delay } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';
import { shared } from './support/keep.ts';
import { setScene } from './support/tunnel.ts';

const scene = shared((keep) => setScene({ keep }));

function dial(url: string, protocols: string[] = [], options: ClientOptions = {}): WebSocket {
  const socket = new WebSocket(url.replace('http', 'ws'), protocols, options);
  socket.on('error', () => {
    // 'close' follows.
  });
  onTestFinished(() => socket.terminate());
  return socket;
}

function open(path: string, protocols: string[] = [], options: ClientOptions = {}): WebSocket {
  return dial(`${scene.url}${path}`, protocols, options);
}

async function closed(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

/** Both ends of a WebSocket that is open. */
async function openBoth(path = '/ws', protocols: string[] = [], options: ClientOptions = {}) {
  const near = open(path, protocols, options);
  await once(near, 'open');
  return { near, far: await scene.origin.sockets.take() };
}

async function messageOf(socket: WebSocket): Promise<[string, boolean]> {
  const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
  return [data.toString('latin1'), isBinary];
}

/** How an upgrade was refused. */
async function refusalOf(socket: WebSocket): Promise<number> {
  const [, answer] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number; resume(): void },
  ];
  answer.resume();
  return answer.statusCode;
}

describe('a WebSocket through the local port', () => {
  it('passes on text and bytes both ways, up to 1 MiB', async () => {
    const { near } = await openBoth();
    near.send('hello');
    expect(await messageOf(near)).toEqual(['hello', false]);
    near.send(Buffer.from([1, 2]));
    expect(await messageOf(near)).toEqual(['\u0001\u0002', true]);
    near.send(Buffer.alloc(1024 * 1024, 'x'));
    expect((await messageOf(near))[0]).toHaveLength(1024 * 1024);
  });

  it('has the subprotocol that the origin chose among those offered', async () => {
    const { near, far } = await openBoth('/ws?a=b', ['one', 'two']);
    expect([near.protocol, far.protocol]).toEqual(['two', 'two']);
    expect(scene.origin.seen.at(-1)).toMatchObject({ url: '/ws?a=b' });
  });

  it('brings cookies and credentials along, and the origin sees its own as Origin', async () => {
    const headers = { cookie: 'session=1', authorization: 'Bearer t' };
    await openBoth('/ws', [], { headers, origin: scene.url });
    const seen = scene.origin.seen.at(-1);
    expect(seen?.headers).toMatchObject({ ...headers, origin: scene.origin.url });
    expect(JSON.stringify(seen)).not.toContain(new URLSearchParams(scene.link.split('#')[1]).get('s'));
  });

  it('ends here as it ended at the origin', async () => {
    const { near, far } = await openBoth();
    far.close(4001, 'bye');
    expect(await closed(near)).toMatchObject({ code: 4001, reason: 'bye' });
  });

  it('ends at the origin as it ended here', async () => {
    const { near, far } = await openBoth();
    near.close(4002, 'done');
    expect(await closed(far)).toMatchObject({ code: 4002, reason: 'done' });
  });

  it('that breaks on either side breaks on the other', async () => {
    const first = await openBoth();
    first.near.terminate();
    expect(await closed(first.far)).toMatchObject({ code: 1006 });
    const second = await openBoth();
    second.far.terminate();
    // RFC 6455 section 7.4.1: 1006 is never sent; the Host says that its side failed.
    expect(await closed(second.near)).toMatchObject({ code: 1011 });
  });

  it('holds a sender back while nobody reads at the origin, and loses nothing', async () => {
    const { near, far } = await openBoth();
    far.removeAllListeners('message');
    far.pause();
    const message = Buffer.alloc(256 * 1024, 'x');
    const count = 200;
    let sent = 0;
    for (let index = 0; index < count; index += 1) near.send(message, () => (sent += 1));
    // 50 MB are more than all buffers on the way take; so some must still wait here when nothing moves any more.
    for (let before = -1; before !== sent; ) {
      before = sent;
      await delay(500);
    }
    expect(sent).toBeLessThan(count);
    let received = 0;
    const all = new Promise<void>((resolve) => {
      far.on('message', () => {
        received += 1;
        if (received === count) resolve();
      });
    });
    far.resume();
    await all;
    expect([sent, received]).toEqual([count, count]);
  });
});

describe('a WebSocket that is refused', () => {
  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
    'comes from the page %s',
    async (origin) => {
      const before = scene.origin.seen.length;
      expect(await refusalOf(open('/ws', [], { origin }))).toBe(403);
      expect(scene.origin.seen).toHaveLength(before);
    },
  );

  it('names another Host', async () => {
    expect(await refusalOf(open('/ws', [], { headers: { host: 'rebound.example' } }))).toBe(421);
  });

  it('is refused by the origin', async () => {
    expect(await refusalOf(open('/refuse'))).toBe(502);
  });

  it('asks for a path that is not allowed', async () => {
    const { url } = await setScene({ relay: scene.relay, args: ['--allow', '/api'] });
    expect(await refusalOf(dial(`${url}/ws`))).toBe(403);
  });
});

it('every WebSocket closes with 1001 when connect stops', async () => {
  const { url, command, origin } = await setScene({ relay: scene.relay });
  const near = dial(`${url}/ws`);
  await once(near, 'open');
  const far = await origin.sockets.take();
  command.kill('SIGTERM');
  expect(await closed(near)).toMatchObject({ code: 1001 });
  await closed(far);
  expect((await command.finished).code).toBe(0);
});
