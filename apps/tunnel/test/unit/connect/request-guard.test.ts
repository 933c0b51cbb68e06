import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRequestGuard } from '../../../src/connect/request-guard.ts';

interface Asked {
  readonly host?: string;
  readonly origin?: string;
  readonly method?: string;
  /** `sec-fetch-site`. */
  readonly site?: string;
  /** `sec-fetch-mode`. */
  readonly mode?: string;
  readonly localAddress?: string;
}

function ask(listenHost: string, asked: Asked) {
  const { host, origin, method = 'GET', site, mode, localAddress = '127.0.0.1' } = asked;
  const headers = { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode };
  // All that a guard looks at.
  const request = { method, headers, socket: { localAddress } } as unknown as IncomingMessage;
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
  ])('may not be %j, though it may read', (origin) => {
    expect(ask('127.0.0.1', { host: 'localhost:8080', origin })).toEqual(['ok', 403]);
  });

  it('is compared with the port that everybody leaves out', () => {
    expect(ask('127.0.0.1', { host: 'localhost:80', origin: 'http://localhost' })).toEqual(['ok', 'ok']);
  });
});

describe('a request that a browser says to be', () => {
  const askAs = (asked: Asked) => ask('127.0.0.1', { host: 'localhost:8080', ...asked })[0];
  const foreign = { origin: 'https://evil.example' };

  it.each(['same-origin', 'same-site', 'none'])('%s is the origin’s own affair', (site) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(askAs({ method, site, origin: 'http://localhost:5173' })).toBe('ok');
    }
  });

  it('cross-site may open a page, by a link', () => {
    expect(askAs({ site: 'cross-site', mode: 'navigate' })).toBe('ok');
    expect(askAs({ method: 'HEAD', site: 'cross-site', mode: 'navigate' })).toBe('ok');
  });

  it.each([
    ['POST', 'navigate'],
    ['GET', 'no-cors'],
    ['GET', 'cors'],
    ['POST', 'no-cors'],
    ['OPTIONS', 'cors'],
    ['GET', undefined],
  ])('cross-site is refused as %s in the mode %s', (method, mode) => {
    const more = mode === undefined ? {} : { mode };
    expect(askAs({ method, site: 'cross-site', ...more })).toBe(403);
    expect(askAs({ method, site: 'cross-site', ...more, ...foreign })).toBe(403);
  });

  it.each([undefined, 'something new', 'CROSS-SITE', 'none, cross-site'])(
    '%s, which is nothing, may write only without an Origin or from this machine',
    (site) => {
      const said = site === undefined ? {} : { site };
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        for (const origin of ['https://evil.example', 'null', '', 'https://localhost:8080', 'file://']) {
          expect(askAs({ method, origin, ...said })).toBe(403);
        }
        for (const origin of [
          'http://localhost:8080',
          'http://localhost:5173',
          'http://127.0.0.1',
          'http://[::1]:1',
        ]) {
          expect(askAs({ method, origin, ...said })).toBe('ok');
        }
        expect(askAs({ method, ...said })).toBe('ok');
      }
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        expect(askAs({ method, ...foreign, ...said })).toBe('ok');
    },
  );

  it('from another port of the very host that is asked may write, also where that is not loopback', () => {
    const asked = { host: '192.0.2.7:8080', method: 'POST' };
    expect(ask('192.0.2.7', { ...asked, origin: 'http://192.0.2.7:3000' })[0]).toBe('ok');
    expect(ask('192.0.2.7', { ...asked, origin: 'http://192.0.2.8:8080' })[0]).toBe(403);
  });
});
