import {
  clientQuery,
  encodeUpgrade,
  makeIdentity,
  opcodes,
  RawWebSocket,
  signedQuery,
} from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { responseOrEnd } from './support/http.ts';
import { roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectHost,
  connectPending,
  connectRaw,
  expectCloseFrame,
  upgradeRaw,
} from './support/sockets.ts';

// Layer 1 §2: the WebSocket handshake, and refusals that a browser can read.

const stranger = clientQuery(makeIdentity().serverId);

describe('the 101 response', () => {
  const relay = useRelay({ limits: roomy });

  it('negotiates neither an extension nor a subprotocol', async () => {
    const { handshake } = await upgradeRaw(relay, stranger, {
      headers: {
        'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits',
        'Sec-WebSocket-Protocol': 'chat, superchat',
      },
    });
    expect(handshake.headers['sec-websocket-extensions']).toBeUndefined();
    expect(handshake.headers['sec-websocket-protocol']).toBeUndefined();
    expect(handshake.headers['upgrade']?.toLowerCase()).toBe('websocket');
    expect(handshake.headers['connection']?.toLowerCase()).toBe('upgrade');
  });

  it.each([
    ['letters of any case', { Upgrade: 'WebSocket', Connection: 'upgrade' }],
    ['a list in Connection', { Connection: 'keep-alive, Upgrade' }],
    ['any Origin', { Origin: 'https://app.example' }],
    ['an extension nobody knows', { 'Sec-WebSocket-Extensions': 'x-future; a=1' }],
  ])('comes for %s', async (_name, headers) => {
    const host = await connectHost(relay);
    const socket = await upgradeRaw(relay, clientQuery(host.serverId), { headers });
    const data = await attachData(host, await host.nextId('connected'));
    await socket.send({ opcode: opcodes.text, payload: 'hello' });
    expect(await data.text()).toBe('hello');
  });

  it('is followed by frames that are neither masked nor use reserved bits', async () => {
    const host = await connectHost(relay);
    const socket = await upgradeRaw(relay, clientQuery(host.serverId));
    const data = await attachData(host, await host.nextId('connected'));
    await data.send('hello');
    const frame = await socket.frameOf([opcodes.text]);
    expect(frame).toMatchObject({ fin: true, rsv: 0, masked: false });
    expect(frame.payload.toString()).toBe('hello');
  });
});

describe('an invalid handshake', () => {
  const relay = useRelay({ limits: roomy });

  async function statusOf(
    headers: Record<string, string | undefined>,
    method = 'GET',
  ): Promise<number | 'ended'> {
    const raw = await connectRaw(relay);
    void raw.write(encodeUpgrade({ target: `${relay.path}?${stranger}`, headers, method }).bytes);
    const outcome = await responseOrEnd(raw);
    return outcome === 'ended' ? outcome : outcome.status;
  }

  it.each<[string, Record<string, string | undefined>]>([
    ['no Host header', { Host: undefined }],
    ['a list of protocols', { Upgrade: 'websocket, foo' }],
    ['the Upgrade header twice', { Upgrade: 'websocket\r\nUpgrade: websocket' }],
    ['no key', { 'Sec-WebSocket-Key': undefined }],
    ['an empty key', { 'Sec-WebSocket-Key': '' }],
    ['a key of 8 bytes', { 'Sec-WebSocket-Key': Buffer.alloc(8).toString('base64') }],
    ['a key that is not base64', { 'Sec-WebSocket-Key': '!!!!!!!!!!!!!!!!!!!!!!==' }],
    ['no version', { 'Sec-WebSocket-Version': undefined }],
    ['version 8', { 'Sec-WebSocket-Version': '8' }],
    ['version 12', { 'Sec-WebSocket-Version': '12' }],
    ['a version that is no number', { 'Sec-WebSocket-Version': 'thirteen' }],
  ])('with %s gets HTTP 400', async (_name, headers) => {
    expect(await statusOf(headers)).toBe(400);
  });

  it.each(['POST', 'PUT', 'OPTIONS'])('by %s gets HTTP 400', async (method) => {
    expect(await statusOf({}, method)).toBe(400);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another protocol', { Upgrade: 'h2c' }],
    ['no Upgrade header', { Upgrade: undefined }],
    ['no Connection: upgrade', { Connection: 'keep-alive' }],
  ])('with %s is a bad handshake or a plain GET, never a WebSocket', async (_name, headers) => {
    expect([400, 404]).toContain(await statusOf(headers));
  });

  it('by HTTP/1.0 gets HTTP 400', async () => {
    const raw = await connectRaw(relay);
    const { bytes } = encodeUpgrade({ target: `${relay.path}?${stranger}` });
    void raw.write(bytes.replace('HTTP/1.1', 'HTTP/1.0'));
    expect((await raw.responseHead()).status).toBe(400);
  });

  it('that does not wait for the answer before it gets HTTP 400, after that answer', async () => {
    const raw = await connectRaw(relay);
    const plain = 'GET /healthz HTTP/1.1\r\nHost: relay.test\r\n\r\n';
    void raw.write(plain + plain + encodeUpgrade({ target: `${relay.path}?${stranger}` }).bytes);
    const statuses = [(await raw.response()).status, (await raw.response()).status];
    expect([...statuses, (await raw.response()).status]).toEqual([200, 200, 400]);
    await raw.ended();
  });

  it('on a wrong path gets HTTP 400 too, as no WebSocket can carry the refusal', async () => {
    const raw = await connectRaw(relay);
    const headers = { 'Sec-WebSocket-Key': undefined };
    void raw.write(encodeUpgrade({ target: '/nowhere', headers }).bytes);
    expect((await raw.responseHead()).status).toBe(400);
  });
});

describe('a refusal', () => {
  const CLOSE_DEADLINE_MS = 1000;
  const relay = useRelay({ limits: { ...roomy, CLOSE_DEADLINE_MS } });
  const patient = useRelay({ limits: { ...roomy, CLOSE_DEADLINE_MS: 60_000 } });

  it('is a 101, a close frame and, once answered, the end of the connection', async () => {
    const socket = await upgradeRaw(patient, 'v=1');
    const reason = await expectCloseFrame(socket, 1008);
    expect(reason.length).toBeGreaterThan(3);
    await socket.sendClose(1008);
    expect(await socket.raw.ended()).toBe('fin');
    expect(socket.raw.unread()).toHaveLength(0);
  });

  it('waits CLOSE_DEADLINE_MS for a peer that does not answer, then destroys', async () => {
    const socket = await upgradeRaw(relay, 'v=1');
    await expectCloseFrame(socket, 1008);
    const closedAt = performance.now();
    await socket.raw.ended();
    expect(performance.now() - closedAt).toBeGreaterThan(CLOSE_DEADLINE_MS - 200);
  });

  it('destroys a refused peer that sends on instead of answering', async () => {
    const socket = await upgradeRaw(relay, stranger);
    await expectCloseFrame(socket, 4008);
    const flood = setInterval(() => {
      if (!socket.raw.isEnded) void socket.send({ opcode: opcodes.binary, payload: Buffer.alloc(10_000) });
    }, 10);
    try {
      await socket.raw.ended();
    } finally {
      clearInterval(flood);
    }
  });

  const identity = makeIdentity();

  it.each<[string, number, () => string]>([
    ['malformed', 1008, () => 'v=2'],
    ['unknown Host', 4008, () => stranger],
    ['authentication', 4010, () => signedQuery({ identity, role: 'host-control', signedText: 'forged' })],
  ])('of kind %s is a close with %d after a 101', async (_kind, code, makeQuery) => {
    const socket = await upgradeRaw(relay, makeQuery());
    expect(socket.handshake.status).toBe(101);
    await expectCloseFrame(socket, code);
  });

  it('never reaches the Host', async () => {
    const host = await connectHost(relay);
    const query = clientQuery(host.serverId, { ts: '1' });
    await expectCloseFrame(await upgradeRaw(relay, query), 1008);
    const { connectionId } = await connectPending(relay, host);
    expect(connectionId).toMatch(/^[\w-]{22}$/u);
  });
});

describe('a raw WebSocket of this tier', () => {
  const relay = useRelay({ limits: roomy });

  it('is refused by its own check when the accept value is wrong', async () => {
    const { host, port } = relay;
    const request = { target: '/healthz', headers: { Upgrade: undefined } };
    await expect(RawWebSocket.open({ host, port, request })).rejects.toThrow('expected 101');
  });
});
