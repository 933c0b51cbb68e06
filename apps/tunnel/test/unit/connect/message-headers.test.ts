import { describe, expect, it } from 'vitest';
import { fromTunnelHeaders, toSocketHeaders, toTunnelHeaders } from '../../../src/connect/message-headers.ts';
import { parseRequestTarget } from '../../../src/connect/request-target.ts';

describe('headers of a request', () => {
  it('have names in lower case, and values joined when they came in several lines', () => {
    expect(
      toTunnelHeaders(['Accept', 'a', 'X-A', '1', 'accept', 'b', 'Cookie', 'a=1', 'cookie', 'b=2']),
    ).toEqual({
      accept: 'a, b',
      'x-a': '1',
      cookie: 'a=1; b=2',
    });
  });

  it('lose what is about the connection, what it names, and the host', () => {
    const raw = [
      'Host',
      'h',
      'Connection',
      'close, X-Mine',
      'X-Mine',
      '1',
      'Keep-Alive',
      't',
      'TE',
      'trailers',
    ];
    const more = [
      'Transfer-Encoding',
      'chunked',
      'Upgrade',
      'x',
      'Expect',
      '100-continue',
      'Proxy-Connection',
      'x',
    ];
    expect(toTunnelHeaders([...raw, ...more, 'X-Yours', '2'])).toEqual({ 'x-yours': '2' });
  });

  it('cannot bring a secret of their own', () => {
    expect(toTunnelHeaders(['X-OpenChamber-Pairing-Secret', 'x'])).toEqual({});
  });

  it('keep the length of a body', () => {
    expect(toTunnelHeaders(['Content-Length', '5'])).toEqual({ 'content-length': '5' });
  });

  it('of a WebSocket keep cookies and credentials, and lose the handshake and the page', () => {
    const raw = ['Sec-WebSocket-Key', 'k', 'Sec-WebSocket-Protocol', 'p', 'Origin', 'o', 'Cookie', 'a=1'];
    expect(toSocketHeaders([...raw, 'Authorization', 'Bearer x'])).toEqual({
      cookie: 'a=1',
      authorization: 'Bearer x',
    });
  });
});

describe('headers of an answer', () => {
  it('keep lists, and lose what is about a connection', () => {
    expect(
      fromTunnelHeaders({
        'set-cookie': ['a', 'b'],
        connection: 'x-hop',
        'x-hop': '1',
        'keep-alive': 'x',
        etag: 'e',
      }),
    ).toEqual({ 'set-cookie': ['a', 'b'], etag: 'e' });
  });

  it('lose the length of a body, which a Host could make to differ from the body', () => {
    expect(fromTunnelHeaders({ 'content-length': '5', etag: 'e' })).toEqual({ etag: 'e' });
  });

  it('keep the length that a body would have, when there is none', () => {
    expect(fromTunnelHeaders({ 'content-length': '5' }, 'bodyless')).toEqual({ 'content-length': '5' });
    for (const value of ['5, 5', '', '-1', 'x', ['5', '6']]) {
      expect(fromTunnelHeaders({ 'content-length': value }, 'bodyless')).toEqual({});
    }
  });

  it('keep every name, whatever it means in JavaScript', () => {
    const headers = Object.fromEntries([['__proto__', 'x']]);
    expect(Object.entries(fromTunnelHeaders(headers))).toEqual([['__proto__', 'x']]);
  });
});

describe('a request target', () => {
  it.each([
    ['/', '/', ''],
    ['/a/b?c=d?e', '/a/b', 'c=d?e'],
    ['/?', '/', ''],
    ['//a', '//a', ''],
    ['http://example.org/a?b', '/a', 'b'],
    ['https://example.org', '/', ''],
    ['http://example.org?b', '/', 'b'],
  ])('%s', (target, path, query) => {
    expect(parseRequestTarget(target)).toEqual({ path, query });
  });

  it.each(['*', '', 'example.org:80', 'ftp://x/'])('%j is none', (target) => {
    expect(parseRequestTarget(target)).toBeUndefined();
  });
});
