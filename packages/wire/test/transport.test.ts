import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { RawSocket } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeOver } from '../src/index.ts';

async function connected(): Promise<{ near: Socket; raw: RawSocket }> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const raw = await RawSocket.connect({ port: (server.address() as AddressInfo).port });
  const [near] = (await accepted) as [Socket];
  onTestFinished(() => {
    raw.destroy();
    near.destroy();
    server.close();
  });
  return { near, raw };
}

/** The text that a connection gives once it is taken over, up to this many bytes. */
function textOf(near: Socket, bytes: number): Promise<string> {
  const transport = takeOver(near, Buffer.alloc(65_536));
  onTestFinished(() => void transport.socket.destroy());
  return new Promise((resolve) => {
    let text = '';
    transport.attach({
      onBytes: (chunk) => {
        text += chunk.toString();
        if (text.length >= bytes) resolve(text);
      },
      onFinish: () => undefined,
      onGone: () => resolve(text),
    });
    transport.startReading();
  });
}

describe('takeOver', () => {
  it('moves a connection to a socket of its own', async () => {
    const { near, raw } = await connected();
    const text = textOf(near, 5);
    expect(near.destroyed).toBe(true);
    await raw.write('hello');
    expect(await text).toBe('hello');
  });

  it('loses nothing that the old socket has read', async () => {
    const { near, raw } = await connected();
    near.unshift(Buffer.from('read before, '));
    const text = textOf(near, 23);
    await raw.write('read after');
    expect(await text).toBe('read before, read after');
  });

  it('loses nothing that waits in the old socket to be written', async () => {
    const { near, raw } = await connected();
    const bytes = 20_000_000;
    raw.discarding = true;
    raw.pause();
    near.write(Buffer.alloc(bytes / 2));
    near.write(Buffer.alloc(bytes / 2));
    const { socket } = takeOver(near, Buffer.alloc(65_536));
    onTestFinished(() => void socket.destroy());
    raw.resume();
    socket.end();
    await raw.ended();
    expect(raw.receivedBytes).toBe(bytes);
  });
});
