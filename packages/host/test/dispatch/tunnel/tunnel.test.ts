import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientHttpStream, ClientTunnel, WsCloseInfo } from '@openchambery/tunnel';
import { Inbox, patternPieces, patternSha256, startTestOrigin, type TestOrigin } from '@openchambery/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openTunnel } from './linked-tunnels.ts';

const TOTAL = 8 * 1024 * 1024;

describe('through a tunnel, an origin', () => {
  let origin: TestOrigin;
  let tunnel: ClientTunnel;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    tunnel = await openTunnel({ origin: origin.url });
  });

  function ask(method: string, path: string): ClientHttpStream {
    return tunnel.request({ method, path, query: '', headers: {} });
  }

  async function nextText({ body }: ClientHttpStream): Promise<string> {
    return Buffer.from((await body.read()) ?? 'the end').toString();
  }

  async function hashOf({ body }: ClientHttpStream): Promise<string> {
    const hash = createHash('sha256');
    for (let piece = await body.read(); piece !== undefined; piece = await body.read()) hash.update(piece);
    return hash.digest('hex');
  }

  async function send({ output }: ClientHttpStream): Promise<void> {
    for (const piece of patternPieces(TOTAL)) if (!output.write(piece)) await output.drained();
    output.end();
  }

  it('sends a short answer in one message, with its head and its end', async () => {
    const stream = ask('GET', '/echo');
    stream.output.end();
    await stream.response;
    const readAll = async (): Promise<string> => (await nextText(stream)) + (await nextText(stream));
    // In this tunnel the next message would come with the next turn at the earliest.
    expect(await Promise.race([readAll(), nextTurn('late')])).toMatch(/^\{.*\}the end$/);
  });

  it('is reached by many requests at a time, up, down and both', async () => {
    const expected = patternSha256(TOTAL);
    const downloads = [1, 2, 3].map(async () => {
      const stream = ask('GET', `/bytes/${TOTAL}`);
      stream.output.end();
      expect(await hashOf(stream)).toBe(expected);
    });
    const echoes = [1, 2].map(async () => {
      const stream = ask('POST', '/echo-stream');
      await Promise.all([send(stream), hashOf(stream).then((hash) => expect(hash).toBe(expected))]);
    });
    const uploads = [1, 2].map(async () => {
      const stream = ask('PUT', '/sink');
      await send(stream);
      const pieces = [];
      for (let piece = await stream.body.read(); piece !== undefined; piece = await stream.body.read()) {
        pieces.push(piece);
      }
      expect(JSON.parse(String(Buffer.concat(pieces)))).toEqual({ bytes: TOTAL, sha256: expected });
    });
    await Promise.all([...downloads, ...echoes, ...uploads]);
    await expect.poll(() => tunnel.traffic.openStreams).toBe(0);
  });

  it('has a short body with its length', async () => {
    const stream = ask('POST', '/echo');
    stream.output.write(Buffer.from('{"a":1}'));
    stream.output.end();
    expect((await stream.response).status).toBe(200);
    stream.body.discard();
    expect(origin.requests[0]?.headers).toMatchObject({ 'content-length': '7' });
  });

  it('answers early, and the tunnel goes on', async () => {
    for (let count = 0; count < 20; count += 1) {
      const stream = ask('PUT', '/early');
      const sending = send(stream).catch(() => 'the stream may be over by then');
      expect((await stream.response).status).toBe(413);
      expect(await nextText(stream)).toBe('too large');
      await sending;
    }
    await expect.poll(() => tunnel.traffic.openStreams).toBe(0);
  });

  it('sends events, each in its turn', async () => {
    const stream = ask('GET', '/sse');
    stream.output.end();
    const events = await origin.nextEventStream();
    for (let count = 0; count < 10; count += 1) {
      await events.push(String(count));
      expect(await nextText(stream)).toBe(`data: ${count}\n\n`);
    }
    stream.abort('enough');
    await events.abandoned();
  });

  it('that dies in the middle is a stream that breaks', async () => {
    const stream = ask('GET', '/reset/1000');
    stream.output.end();
    expect((await stream.response).status).toBe(200);
    await expect(hashOf(stream)).rejects.toMatchObject({
      code: 'ERR_TUNNEL_STREAM_ABORTED',
      reason: 'the origin broke off its answer',
    });
  });

  it('talks over WebSockets', async () => {
    const messages = new Inbox<string | Uint8Array>('messages', (message) => String(message.length));
    const closed = Promise.withResolvers<WsCloseInfo>();
    const opening = tunnel.openSocket(
      { path: '/ws/echo', query: '', protocols: ['a', 'b'] },
      { onMessage: (message) => messages.push(message), onDrain: () => undefined, onClose: closed.resolve },
    );
    const { socket, head } = await opening.opened;
    expect(head).toEqual({ protocol: 'a' });
    const large = Buffer.concat([...patternPieces(5 * 1024 * 1024)]);
    socket.send(large);
    socket.send('text');
    expect(large.equals((await messages.take()) as Uint8Array)).toBe(true);
    expect(await messages.take()).toBe('text');
    const server = await origin.nextSocket();
    server.close(4000, 'bye');
    expect(await closed.promise).toEqual({ code: 4000, reason: 'bye' });
  });

  it('hears of a tunnel that ends', async () => {
    const stream = ask('GET', '/sse');
    stream.output.end();
    const events = await origin.nextEventStream();
    const opening = tunnel.openSocket(
      { path: '/ws', query: '' },
      { onMessage: () => undefined, onDrain: () => undefined, onClose: () => undefined },
    );
    await opening.opened;
    const server = await origin.nextSocket();
    tunnel.close(1001, 'gone');
    await events.abandoned();
    expect(await server.closed()).toMatchObject({ code: 1012 });
  });
});
