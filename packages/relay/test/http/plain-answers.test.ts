import { describe, expect, it } from 'vitest';
import { get, start } from './harness.ts';

const notFound = { status: 404, body: '', headers: { 'cache-control': 'no-store', 'content-length': '0' } };

describe('what is no health check', () => {
  it.each([
    ['CONNECT', 'CONNECT relay.test:443 HTTP/1.1\r\nHost: relay.test\r\n\r\n'],
    [
      'CONNECT that offers an upgrade',
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['an expectation nobody knows', get('/ws', 'Expect: x\r\n')],
    ['a wish to continue', get('/ws', 'Expect: 100-continue\r\nContent-Length: 5\r\n')],
  ])('is 404, empty and not stored: %s', async (_name, bytes) => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(bytes);
    expect(await raw.response()).toMatchObject(notFound);
  });
});

describe('a health check', () => {
  it.each(['x', '100-continue'])('is answered whatever it expects: %s', async (expectation) => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(get('/healthz', `Expect: ${expectation}\r\n`));
    expect((await raw.response()).status).toBe(200);
  });

  it('needs no Host header in HTTP/1.0', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect((await raw.response()).status).toBe(200);
  });
});

describe('HTTP/1.1 without a Host header', () => {
  it('is 400, empty and not stored, and the end of the connection', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write('GET /healthz HTTP/1.1\r\n\r\n');
    expect(await raw.response()).toMatchObject({ ...notFound, status: 400 });
    expect(await raw.ended()).toBe('fin');
  });
});
