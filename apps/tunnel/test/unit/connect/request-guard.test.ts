import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRequestGuard } from '../../../src/connect/request-guard.ts';

interface Asked {
  readonly host?: string;
  readonly origin?: string;
  readonly localAddress?: string;
}

function ask(listenHost: string, { host, origin, localAddress = '127.0.0.1' }: Asked) {
  // All that a guard looks at.
  const request = { headers: { host, origin }, socket: { localAddress } } as unknown as IncomingMessage;
  const guard = createRequestGuard(listenHost);
  return [guard.checkRequest(request)?.status ?? 'ok', guard.checkUpgrade(request)?.status ?? 'ok'];
}

describe('the Host header', () => {
  it.each(['127.0.0.1', '127.0.0.1:8080', 'localhost', 'LOCALHOST:1', '[::1]:8080', '127.0.0.1:9'])(
    '%s is ours',
    (host) => {
      expect(ask('127.0.0.1', { host })).toEqual(['ok', 'ok']);
    },
  );

  it.each([
    'example.org',
    'localhost.example.org:8080',
    '127.0.0.1.example.org',
    '127.0.0.2',
    '10.0.0.1',
    '[::2]',
    'localhost@evil.example',
    '',
    'localhost:99999',
  ])('%j is refused', (host) => {
    expect(ask('127.0.0.1', { host })).toEqual([421, 421]);
  });

  it('is needed', () => {
    expect(ask('127.0.0.1', {})).toEqual([421, 421]);
  });

  it('may be the name or address that was asked for', () => {
    expect(ask('My.Machine', { host: 'my.machine:80' })).toEqual(['ok', 'ok']);
    expect(ask('192.0.2.7', { host: '192.0.2.7:80' })).toEqual(['ok', 'ok']);
  });

  it('may be the very address that was reached, on a port that is open on all of them', () => {
    expect(ask('0.0.0.0', { host: '192.0.2.7:80', localAddress: '192.0.2.7' })).toEqual(['ok', 'ok']);
    expect(ask('::', { host: '192.0.2.7:80', localAddress: '::ffff:192.0.2.7' })).toEqual(['ok', 'ok']);
    expect(ask('0.0.0.0', { host: '192.0.2.8', localAddress: '192.0.2.7' })).toEqual([421, 421]);
    expect(ask('0.0.0.0', { host: 'rebound.example', localAddress: '192.0.2.7' })).toEqual([421, 421]);
  });
});

describe('the page that opens a WebSocket', () => {
  it.each([undefined, 'http://localhost:8080'])('may be %s', (origin) => {
    const asked = origin === undefined ? {} : { origin };
    expect(ask('127.0.0.1', { host: 'localhost:8080', ...asked })).toEqual(['ok', 'ok']);
  });

  it.each([
    'http://localhost:8081',
    'http://127.0.0.1:8080',
    'https://localhost:8080',
    'https://evil.example',
    'null',
    '',
    'http://localhost:8080.evil.example',
  ])('may not be %j; plain requests are the origin’s own affair', (origin) => {
    expect(ask('127.0.0.1', { host: 'localhost:8080', origin })).toEqual(['ok', 403]);
  });

  it('is compared with the port that everybody leaves out', () => {
    expect(ask('127.0.0.1', { host: 'localhost:80', origin: 'http://localhost' })).toEqual(['ok', 'ok']);
  });
});
