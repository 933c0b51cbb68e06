import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createServer as createTcpServer, type AddressInfo, type Server, Socket } from 'node:net';
import { FakeClock, freePort, makeLoopbackCertificate } from '@openchambery/testkit';
import { systemClock } from '@openchambery/tunnel';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { dial, type RelaySocket } from '../../src/relay/dial.ts';

const servers: (Server | HttpServer)[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function listen(server: Server | HttpServer): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function failure(url: string, clock = systemClock): Promise<string> {
  return new Promise((resolve, reject) => {
    dial(
      { url: `${url}?sig=secret`, maxPayload: 1024, clock },
      { onOpen: () => reject(new Error('opened')), onFail: resolve },
    );
  });
}

test('opens without compression', async () => {
  const server = createHttpServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: true });
  const port = await listen(server);
  const accepted = once(sockets, 'connection');
  const { socket, stream } = await new Promise<RelaySocket>((resolve, reject) => {
    dial(
      { url: `ws://127.0.0.1:${port}/`, maxPayload: 1024, clock: systemClock },
      { onOpen: resolve, onFail: reject },
    );
  });
  await accepted;
  expect(socket.extensions).toBe('');
  expect(stream).toBeInstanceOf(Socket);
  socket.terminate();
  sockets.close();
});

test('says that nothing listens', async () => {
  const reason = await failure(`ws://127.0.0.1:${await freePort()}/ws`);
  expect(reason).toContain('is the relay running');
  expect(reason).not.toContain('secret');
});

test.each([
  [404, {}, 'no relay at this path'],
  [302, { location: 'https://elsewhere.example/ws?sig=secret' }, '(https://elsewhere.example/ws)'],
  [502, {}, 'does not reach the relay'],
  [200, {}, 'no relay'],
])('says what an answer with HTTP %i means', async (status, headers, words) => {
  const server = createHttpServer((_request, response) => response.writeHead(status, headers).end('x'));
  server.on('upgrade', (request, socket) => {
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} X\r\n${extra.join('')}content-length: 0\r\n\r\n`);
    request.resume();
  });
  const reason = await failure(`ws://127.0.0.1:${await listen(server)}/ws`);
  expect(reason).toContain(`HTTP ${status}`);
  expect(reason).toContain(words);
  expect(reason).not.toContain('secret');
});

test.each([{ trusts: 'no CA of its' }, { trusts: 'another CA of its name' }])(
  'says that a certificate is not trusted: $trusts',
  async ({ trusts }) => {
    const before = getCACertificates('default');
    if (trusts.startsWith('another')) {
      const { caPem } = await makeLoopbackCertificate();
      setDefaultCACertificates([...before, caPem]);
      onTestFinished(() => setDefaultCACertificates(before));
    }
    const { certPem, keyPem } = await makeLoopbackCertificate();
    const port = await listen(createTlsServer({ cert: certPem, key: keyPem }));
    const reason = await failure(`wss://127.0.0.1:${port}/ws`);
    expect(reason).toMatch(/certificate.*NODE_EXTRA_CA_CERTS/);
  },
);

test('says that there is no TLS', async () => {
  const port = await listen(createHttpServer());
  expect(await failure(`wss://127.0.0.1:${port}/ws`)).toMatch(/TLS.*begin with ws:/);
});

test('says that it is no web server', async () => {
  const port = await listen(createTcpServer((socket) => socket.resume().end('SSH-2.0-OpenSSH\r\n')));
  expect(await failure(`ws://127.0.0.1:${port}/ws`)).toContain('does not speak HTTP');
});

test('says that the connection was broken off', async () => {
  const port = await listen(createTcpServer((socket) => socket.resetAndDestroy()));
  expect(await failure(`ws://127.0.0.1:${port}/ws`)).toContain('broke the connection off');
});

test('gives up after 10 s, however slowly the answer drips', async () => {
  const clock = new FakeClock();
  const server = createTcpServer((socket) => {
    socket.on('error', () => 'the dial has given up');
    socket.write('HTTP/1.1 101 ');
  });
  const arrived = once(server, 'connection');
  const port = await listen(server);
  const failed = failure(`ws://127.0.0.1:${port}/ws`, clock);
  await arrived;
  clock.advance(9999);
  expect(clock.pendingTimers).toBe(1);
  clock.advance(1);
  expect(await failed).toBe('the relay did not answer within 10 s');
  expect(clock.pendingTimers).toBe(0);
});

test('is silent after it was aborted', async () => {
  const clock = new FakeClock();
  const server = createTcpServer();
  const port = await listen(server);
  const arrived = once(server, 'connection') as Promise<[Socket]>;
  let told = 0;
  const tell = (): void => {
    told += 1;
  };
  const attempt = dial(
    { url: `ws://127.0.0.1:${port}/`, maxPayload: 1024, clock },
    { onOpen: tell, onFail: tell },
  );
  const [socket] = await arrived;
  socket.on('error', () => 'aborted');
  attempt.abort();
  attempt.abort();
  socket.resume();
  await once(socket, 'close');
  expect(told).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});
