import { describe, expect, it } from 'vitest';
import { createClientTunnel, createHostTunnel, type HostHttpStream } from '../../src/index.ts';
import { linkChannels } from './support/linked-channels.ts';
import { readAll } from './support/tunnels.ts';

const nothing = (): void => undefined;

describe.each([{ isBatching: true }, { isBatching: false }])('a tunnel with batching $isBatching', (form) => {
  it('carries a request and its answer', async () => {
    const { client: clientChannel, host: hostChannel } = linkChannels(form);
    const client = createClientTunnel(
      { openChannel: clientChannel.open },
      { onOpen: nothing, onClose: nothing },
    );
    createHostTunnel(
      { openChannel: hostChannel.open },
      {
        onOpen: nothing,
        onClose: nothing,
        onSocket: nothing,
        onRequest: (stream: HostHttpStream) => {
          void (async () => {
            const body = await readAll(stream.body);
            const output = stream.respond({ status: 200, headers: { 'x-length': String(body.length) } });
            if (output === undefined) throw new Error('too long');
            for (let offset = 0; offset < body.length; offset += 65_536) {
              if (!output.write(body.subarray(offset, offset + 65_536))) await output.drained();
            }
            output.end();
          })();
        },
      },
    );
    const stream = client.request({ method: 'POST', path: '/echo', query: '', headers: {} });
    const sent = Buffer.alloc(3_000_000, 'abcdefg');
    stream.output.write(sent);
    stream.output.end();
    const head = await stream.response;
    expect(head.headers['x-length']).toBe('3000000');
    expect(Buffer.compare(await readAll(stream.body), sent)).toBe(0);
    expect(client.traffic.openStreams).toBe(0);
  });

  it('carries WebSocket messages of any size', async () => {
    const { client: clientChannel, host: hostChannel } = linkChannels(form);
    const client = createClientTunnel(
      { openChannel: clientChannel.open },
      { onOpen: nothing, onClose: nothing },
    );
    createHostTunnel(
      { openChannel: hostChannel.open },
      {
        onOpen: nothing,
        onClose: nothing,
        onRequest: nothing,
        onSocket: (stream) => {
          const socket = stream.accept(
            { protocol: 'echo' },
            {
              onMessage: (message) => void socket.send(message),
              onDrain: nothing,
              onClose: nothing,
            },
          );
        },
      },
    );
    const messages: (string | Uint8Array)[] = [];
    const done = Promise.withResolvers<{ code: number; reason: string }>();
    const opening = client.openSocket(
      { path: '/ws', query: '' },
      {
        onMessage: (message) => {
          messages.push(message);
          if (messages.length === 3) socket.close(4000, 'bye');
        },
        onDrain: nothing,
        onClose: done.resolve,
      },
    );
    const { socket, head } = await opening.opened;
    expect(head.protocol).toBe('echo');
    const big = Buffer.alloc(16 * 1024 * 1024, 7);
    socket.send('héllo');
    socket.send(big);
    socket.send('');
    expect(await done.promise).toEqual({ code: 4000, reason: 'bye' });
    expect(messages[0]).toBe('héllo');
    expect(Buffer.compare(messages[1] as Uint8Array, big)).toBe(0);
    expect(messages[2]).toBe('');
  });
});
