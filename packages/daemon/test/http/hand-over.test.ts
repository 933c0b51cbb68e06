import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { FakeClock, RawSocket } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Listener, RawSocketLimiter } from '../../src/index.ts';

// Inherited sockets themselves are tested end to end: one needs a parent process that hands it on.

function makeListener(listenFd: number | undefined): Listener {
  const limits = { handshakeMs: 5000, maxUrlBytes: 2048, closeDeadlineMs: 2000 };
  const onDrop = (): void => undefined;
  return new Listener(
    { limits, clock: new FakeClock(), listenFd },
    {
      limiter: new RawSocketLimiter({ maxRawSockets: 10, maxRawSocketsPerIp: 10 }, onDrop),
      onDrop,
      admits: () => true,
      onRequest: (_request, response) => void response.end('here'),
    },
  );
}

describe('a listener with a port of its own', () => {
  it('goes on accepting when the socket is to be handed over', async () => {
    const listener = makeListener(undefined);
    await listener.listen('127.0.0.1', 0);
    await listener.handOver();
    const raw = await RawSocket.connect({ port: listener.address().port });
    onTestFinished(async () => {
      raw.destroy();
      await listener.close();
    });
    void raw.write('GET / HTTP/1.1\r\nHost: relay\r\n\r\n');
    expect((await raw.responseHead()).status).toBe(200);
  });
});

describe('a listener that was given a descriptor', () => {
  it('rejects when that is no socket, whatever the address', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    // A number that no process gets as a descriptor.
    const listener = makeListener(0x7fff_ffff);
    await expect(listener.listen('127.0.0.1', port)).rejects.toMatchObject({ syscall: 'listen' });
    expect(() => listener.address()).toThrow('not listening');
  });
});
