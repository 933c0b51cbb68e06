import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeLoopbackCertificate, startTestOrigin } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { Rig, text } from '../rig.ts';

describe('connections to an origin', () => {
  it('are kept for a while, and closed with the dispatcher', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const rig = new Rig({ origin: origin.url });
    const request = rig.open({ path: '/slow' });
    request.body.end();
    const held = await origin.nextHeld();
    await text(await rig.fetch({ path: '/echo' }));
    expect(origin.connections).toBe(2);
    rig.close();
    await expect.poll(() => origin.connections).toBe(1);
    held.answer(200, 'still there');
    expect(await text(await request.answer())).toBe('still there');
    await expect.poll(() => origin.connections).toBe(0);
  });

  it('speak TLS where the origin does, whoever signed its certificate', async () => {
    const { certPem: cert, keyPem: key } = await makeLoopbackCertificate();
    const server = createHttpsServer({ cert, key }, (request, response) => {
      response.end(`${request.method} ${request.url}`);
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket, request) => socket.send(`${request.headers.origin} ${request.url}`));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    for (const host of ['localhost', '127.0.0.1']) {
      const rig = new Rig({ origin: `https://${host}:${port}` });
      for (let count = 0; count < 2; count += 1) {
        expect(await text(await rig.fetch({ path: '/a', query: 'b' }))).toBe('GET /a?b');
      }
      const socket = rig.openSocket({ path: '/c' });
      expect(await socket.messages.take()).toBe(`https://${host}:${port} /c`);
    }
  });

  it('are bad where the origin speaks no TLS', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const rig = new Rig({ origin: origin.url.replace('http:', 'https:') });
    expect((await rig.fetch({ path: '/' })).head.status).toBe(502);
    expect((await rig.failures.take()).error).toBe('bad_gateway');
    expect(await rig.openSocket({ path: '/ws' }).aborted()).toBe('bad_gateway');
  });
});
