import { MAX_MESSAGE_BYTES, PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TunnelWebSocket } from '../../src/relay-client.ts';
import { scriptClient, secret, settle } from '../support/scripted-client.ts';
import type { ScriptedSocket, ScriptedTunnel } from '../support/scripted-tunnel.ts';
import { soon } from '../support/soon.ts';

interface Opened {
  readonly socket: TunnelWebSocket;
  readonly peer: ScriptedSocket;
  readonly tunnel: ScriptedTunnel;
  readonly lose: () => void;
  /** Type of each event, with what it tells. */
  readonly events: unknown[];
}

function record(socket: TunnelWebSocket): unknown[] {
  const events: unknown[] = [];
  socket.addEventListener('open', () => events.push('open'));
  socket.addEventListener('message', ({ data }: MessageEvent) => events.push(['message', data]));
  socket.addEventListener('error', () => events.push('error'));
  socket.addEventListener('close', ({ code, reason, wasClean }) =>
    events.push(['close', code, reason, wasClean]),
  );
  return events;
}

/** A WebSocket up to where the Host is asked for it. */
async function ask(url: string | URL = '/s', protocols?: string | string[]): Promise<Opened> {
  const { client, open, attempts } = scriptClient({ secret, baseUrl: 'https://app.test' });
  const tunnel = open();
  const socket = new client.WebSocket(url, protocols);
  const events = record(socket);
  await settle();
  const peer = tunnel.sockets.at(-1);
  if (peer === undefined) throw new Error('nothing was asked for');
  return { socket, peer, tunnel, events, lose: () => attempts.last.lose() };
}

async function openSocket(): Promise<Opened> {
  const opened = await ask();
  opened.peer.accept();
  await settle();
  return opened;
}

describe('opening', () => {
  it('asks for path, query and subprotocols, with the secret', async () => {
    const { socket, peer } = await ask('/a/../b?q=1', ['one', 'two']);
    expect(peer.head).toEqual({
      path: '/b',
      query: 'q=1',
      protocols: ['one', 'two'],
      headers: { [PAIRING_SECRET_HEADER]: secret },
    });
    expect(socket).toMatchObject({
      url: 'wss://app.test/b?q=1',
      readyState: 0,
      protocol: '',
      extensions: '',
    });
    peer.accept('two');
    await settle();
    expect(socket).toMatchObject({ readyState: 1, protocol: 'two' });
  });

  it.each(['wss://app.test/s', 'https://app.test/s', 's', '/s'])('takes the URL %s', async (url) => {
    expect((await ask(url)).socket.url).toBe('wss://app.test/s');
    expect((await ask(new URL(url, 'https://app.test'))).socket.url).toBe('wss://app.test/s');
  });

  it.each([
    'ws://app.test/s',
    'wss://other.test/',
    'ftp://app.test/',
    'http://',
    '/s#part',
    '/s#',
    'wss://u@app.test/',
  ])('refuses the URL %s', (url) => {
    const { client, attempts } = scriptClient({ baseUrl: 'https://app.test' });
    expect(() => new client.WebSocket(url)).toThrow(expect.objectContaining({ name: 'SyntaxError' }));
    expect(attempts.all).toHaveLength(0);
  });

  it.each([[['']], [['a b']], [['a', 'a']], [['a', 'A']], ['a,b']])(
    'refuses the subprotocols %j',
    (protocols) => {
      const { client } = scriptClient();
      expect(() => new client.WebSocket('/', protocols)).toThrow(
        expect.objectContaining({ name: 'SyntaxError' }),
      );
    },
  );

  it('fails when the origin chooses a subprotocol that nobody asked for', async () => {
    const { peer, events } = await ask('/s', 'one');
    peer.accept('two');
    await settle();
    expect(events).toEqual(['error', ['close', 1006, '', false]]);
    expect(peer.aborts).toHaveLength(1);
  });

  it('fails when the Host refuses, and when the connection breaks', async () => {
    for (const end of ['refuse', 'lose'] as const) {
      const { socket, peer, events } = await ask();
      peer[end]('why');
      await settle();
      expect(events).toEqual(['error', ['close', 1006, '', false]]);
      expect(socket.readyState).toBe(socket.CLOSED);
    }
  });

  it('fails when no connection comes about in time', async () => {
    const { client, clock } = scriptClient({ connectTimeoutMs: 1000 });
    const events = record(new client.WebSocket('/'));
    clock.advance(1000);
    await settle();
    expect(events).toEqual(['error', ['close', 1006, '', false]]);
  });

  it('fails when its head is too large for a frame', async () => {
    const { client, open } = scriptClient();
    open().refusal = new RangeError('too large');
    const socket = new client.WebSocket('/');
    const error = await new Promise<Event & { error?: unknown }>((resolve) => {
      socket.onerror = resolve;
    });
    expect(error.error).toBeInstanceOf(TypeError);
  });

  it('tells of messages only after the opening, though they came with it', async () => {
    const { peer, events } = await ask();
    peer.accept();
    peer.listener.onMessage('early');
    peer.listener.onClose({ code: 1000, reason: 'done' });
    await settle();
    expect(events).toEqual(['open', ['message', 'early'], ['close', 1000, 'done', true]]);
  });
});

describe('messages', () => {
  it('are a Blob or an ArrayBuffer of their own, as binaryType says', async () => {
    const { socket, peer, events } = await openSocket();
    const bytes = Buffer.from('xabcx').subarray(1, 4);
    peer.listener.onMessage(bytes);
    socket.binaryType = 'arraybuffer';
    socket.binaryType = 'nodebuffer' as 'blob';
    expect(socket.binaryType).toBe('arraybuffer');
    peer.listener.onMessage(bytes);
    const [blob, buffer] = events.slice(1).map((event) => (event as [string, unknown])[1]);
    expect(blob).toBeInstanceOf(Blob);
    expect(await (blob as Blob).text()).toBe('abc');
    expect(Buffer.from(buffer as ArrayBuffer).toString()).toBe('abc');
    expect((buffer as ArrayBuffer).byteLength).toBe(3);
  });

  it('name the origin they come from', async () => {
    const { socket, peer } = await openSocket();
    let origin = '';
    socket.onmessage = (event) => {
      origin = event.origin;
    };
    peer.listener.onMessage('x');
    expect(origin).toBe('wss://app.test');
  });

  it('of every kind are sent in order, also behind a Blob, as they were when they were sent', async () => {
    const { socket, peer } = await openSocket();
    const bytes = new Uint8Array([1, 2, 3, 4]);
    socket.send('first');
    socket.send(new Blob(['second']));
    socket.send(bytes.subarray(1, 3));
    socket.send(bytes.buffer);
    socket.send(new Blob([]));
    socket.send(7 as unknown as string);
    bytes.fill(9);
    socket.close(3001, 'done');
    expect(peer.sent).toEqual(['first']);
    expect(peer.closes).toEqual([]);
    await soon(() => peer.closes).toEqual([{ code: 3001, reason: 'done' }]);
    const sent = peer.sent.map((message) =>
      typeof message === 'string' ? message : Buffer.from(message).toString('hex'),
    );
    const second = Buffer.from('second').toString('hex');
    expect(sent).toEqual(['first', second, '0203', '01020304', '', '7']);
  });

  it('count as buffered until they have left, and for ever when they came too late', async () => {
    const { socket, peer } = await openSocket();
    peer.bufferedBytes = 5;
    socket.send(new Blob(['second']));
    socket.send('ü');
    expect(socket.bufferedAmount).toBe(13);
    await settle();
    peer.bufferedBytes = 0;
    await soon(() => socket.bufferedAmount).toBe(0);
    socket.close();
    socket.send('ü');
    socket.send(new Blob(['abc']));
    await settle();
    expect(socket.bufferedAmount).toBe(5);
  });

  it('cannot be sent before the opening, nor be too large', async () => {
    const { socket, peer } = await ask();
    expect(() => socket.send('x')).toThrow(expect.objectContaining({ name: 'InvalidStateError' }));
    peer.accept();
    await settle();
    socket.send(new Uint8Array(MAX_MESSAGE_BYTES));
    expect(() => socket.send(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow(RangeError);
    expect(() => socket.send(new Blob([new Uint8Array(MAX_MESSAGE_BYTES + 1)]))).toThrow(RangeError);
    expect(peer.sent).toHaveLength(1);
  });

  it('that cannot be read break the WebSocket', async () => {
    const { socket, peer, events } = await openSocket();
    const broken = new Blob(['x']);
    broken.arrayBuffer = () => Promise.reject(new Error('file gone'));
    socket.send(broken);
    socket.send('behind');
    await settle();
    expect(peer.sent).toEqual([]);
    expect(events.slice(1)).toEqual(['error', ['close', 1006, '', false]]);
  });
});

describe('closing', () => {
  it('goes through CLOSING, and says what was said', async () => {
    const { socket, peer, events } = await openSocket();
    socket.close(4999, 'bye');
    expect(socket.readyState).toBe(socket.CLOSING);
    peer.listener.onMessage('late');
    socket.close(3000);
    await settle();
    expect(socket.readyState).toBe(socket.CLOSED);
    expect(peer.closes).toEqual([{ code: 4999, reason: 'bye' }]);
    expect(events.slice(1)).toEqual([['close', 4999, 'bye', true]]);
  });

  it('without a code sends 1000 and tells 1005', async () => {
    const { socket, peer, events } = await openSocket();
    socket.close();
    await settle();
    expect(peer.closes).toEqual([{ code: 1000, reason: '' }]);
    expect(events.at(-1)).toEqual(['close', 1005, '', true]);
  });

  it('before the opening fails it, and gives up on the stream', async () => {
    const { socket, peer, events } = await ask();
    socket.close();
    expect(socket.readyState).toBe(socket.CLOSING);
    peer.accept();
    await settle();
    expect(events).toEqual(['error', ['close', 1006, '', false]]);
    expect(peer.aborts.length).toBeGreaterThan(0);
  });

  it.each([0, 999, 1001, 1005, 1006, 2999, 5000])('refuses the code %d', async (code) => {
    const { socket } = await openSocket();
    expect(() => socket.close(code)).toThrow(expect.objectContaining({ name: 'InvalidAccessError' }));
    expect(socket.readyState).toBe(socket.OPEN);
  });

  it('takes a reason of 123 bytes and not of 124', async () => {
    const { socket, peer } = await openSocket();
    expect(() => socket.close(1000, 'ü'.repeat(62))).toThrow(
      expect.objectContaining({ name: 'SyntaxError' }),
    );
    socket.close(1000, `${'ü'.repeat(61)}x`);
    await settle();
    expect(peer.closes).toHaveLength(1);
  });

  it.each([
    [1000, true],
    [1012, true],
    [1006, false],
  ])('by the other end with %d is clean: %s', async (code, isClean) => {
    const { peer, events } = await openSocket();
    peer.listener.onClose({ code, reason: '' });
    await settle();
    expect(events.at(-1)).toEqual(['close', code, '', isClean]);
    expect(events.includes('error')).toBe(!isClean);
  });

  it('tells 1012 when the connection breaks, and nothing stays', async () => {
    const { socket, events, lose } = await openSocket();
    lose();
    await settle();
    expect(events.at(-1)).toEqual(['close', 1012, '', true]);
    expect(() => socket.send('x')).not.toThrow();
  });

  it('of the Client tells 1001, though a Blob still waits', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    const socket = new client.WebSocket('/');
    const events = record(socket);
    await settle();
    tunnel.sockets[0]?.accept();
    await settle();
    socket.send(new Blob(['x']));
    client.close();
    await settle();
    expect(tunnel.sockets[0]?.closes).toMatchObject([{ code: 1001 }]);
    expect(events.at(-1)).toEqual(['close', 1001, 'the Client was closed', true]);
  });
});

describe('the interface', () => {
  it('has the constants on class and instance', async () => {
    const { socket } = await openSocket();
    const { client } = scriptClient();
    for (const holder of [socket, client.WebSocket]) {
      const { CONNECTING, OPEN, CLOSING, CLOSED } = holder;
      expect([CONNECTING, OPEN, CLOSING, CLOSED]).toEqual([0, 1, 2, 3]);
    }
    expect(socket).toBeInstanceOf(EventTarget);
  });

  it('has handlers that keep their place, may be replaced and taken away', async () => {
    const { socket, peer } = await openSocket();
    const calls: string[] = [];
    expect(socket.onmessage).toBeNull();
    socket.onmessage = () => void calls.push('first');
    socket.addEventListener('message', () => calls.push('listener'));
    const second = function second(this: unknown): void {
      calls.push(this === socket ? 'second' : 'lost this');
    };
    socket.onmessage = second;
    expect(socket.onmessage).toBe(second);
    peer.listener.onMessage('x');
    socket.onmessage = null;
    peer.listener.onMessage('x');
    expect(calls).toEqual(['second', 'listener', 'listener']);
    socket.onopen = socket.onerror = socket.onclose = 5 as unknown as null;
    expect([socket.onopen, socket.onerror, socket.onclose]).toEqual([null, null, null]);
  });

  it('works where the platform has no CloseEvent', async () => {
    const native = globalThis.CloseEvent;
    onTestFinished(() => void (globalThis.CloseEvent = native));
    Reflect.deleteProperty(globalThis, 'CloseEvent');
    const { peer, events } = await openSocket();
    peer.listener.onClose({ code: 4000, reason: 'own' });
    await settle();
    expect(events.at(-1)).toEqual(['close', 4000, 'own', true]);
  });
});
