import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHandshake, offersWebSocket, switchingProtocols } from '../src/index.ts';

/** RFC 6455 §1.2 and §1.3. */
const RFC_KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const RFC_ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

const GOOD: IncomingHttpHeaders = {
  host: 'relay.test',
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-key': RFC_KEY,
  'sec-websocket-version': '13',
};

describe('checkHandshake', () => {
  it('takes the example of RFC 6455', () => {
    expect(checkHandshake({ httpVersion: '1.1', method: 'GET', headers: GOOD })).toEqual({
      ok: true,
      key: RFC_KEY,
    });
  });

  it.each(['WebSocket', 'WEBSOCKET'])('takes the upgrade token in any case: %s', (upgrade) => {
    expect(checkHandshake({ httpVersion: '1.1', method: 'GET', headers: { ...GOOD, upgrade } }).ok).toBe(
      true,
    );
  });

  it('ignores what a client offers: extensions, subprotocols, an origin', () => {
    const headers = {
      ...GOOD,
      'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
      'sec-websocket-protocol': 'chat, superchat',
      origin: 'https://example.test',
    };
    expect(checkHandshake({ httpVersion: '1.1', method: 'GET', headers })).toEqual({
      ok: true,
      key: RFC_KEY,
    });
  });

  it('takes the key of any 16 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const key = Buffer.from(bytes).toString('base64');
        expect(
          checkHandshake({
            httpVersion: '1.1',
            method: 'GET',
            headers: { ...GOOD, 'sec-websocket-key': key },
          }),
        ).toEqual({
          ok: true,
          key,
        });
      }),
    );
  });

  it.each(['POST', 'HEAD', 'get', undefined])('refuses the method %s', (method) => {
    expect(checkHandshake({ httpVersion: '1.1', method, headers: GOOD })).toMatchObject({ ok: false });
  });

  it.each(['upgrade', 'keep-alive, Upgrade', 'UPGRADE ,keep-alive'])('takes Connection: %s', (connection) => {
    expect(checkHandshake({ httpVersion: '1.1', method: 'GET', headers: { ...GOOD, connection } }).ok).toBe(
      true,
    );
  });

  it.each(['1.0', '0.9', ''])('refuses HTTP %s', (httpVersion) => {
    expect(checkHandshake({ httpVersion, method: 'GET', headers: GOOD })).toMatchObject({ ok: false });
  });

  it.each<[string, IncomingHttpHeaders]>([
    ['no upgrade', { upgrade: undefined }],
    ['another upgrade', { upgrade: 'h2c' }],
    ['two upgrades', { upgrade: 'websocket, foo' }],
    ['the upgrade twice', { upgrade: 'websocket, websocket' }],
    ['no host', { host: undefined }],
    ['no connection', { connection: undefined }],
    ['another connection', { connection: 'keep-alive, upgrades' }],
    ['no version', { 'sec-websocket-version': undefined }],
    ['an older version', { 'sec-websocket-version': '8' }],
    ['two versions', { 'sec-websocket-version': '13, 8' }],
    ['no key', { 'sec-websocket-key': undefined }],
    ['an empty key', { 'sec-websocket-key': '' }],
    ['two keys', { 'sec-websocket-key': `${RFC_KEY}, ${RFC_KEY}` }],
    ['a key of 15 bytes', { 'sec-websocket-key': randomBytes(15).toString('base64') }],
    ['a key of 17 bytes', { 'sec-websocket-key': randomBytes(17).toString('base64') }],
    ['a key of 18 bytes', { 'sec-websocket-key': randomBytes(18).toString('base64') }],
    ['a key without padding', { 'sec-websocket-key': RFC_KEY.slice(0, 22) }],
    ['a key in base64url', { 'sec-websocket-key': '-_-_-_-_-_-_-_-_-_-_-Q==' }],
    ['a key and a line break', { 'sec-websocket-key': `${RFC_KEY}\n` }],
  ])('refuses %s', (_name, headers) => {
    const check = checkHandshake({ httpVersion: '1.1', method: 'GET', headers: { ...GOOD, ...headers } });
    expect(check.ok).toBe(false);
    expect(check.ok ? '' : check.fault).not.toBe('');
  });
});

describe('offersWebSocket', () => {
  it.each(['websocket', 'WebSocket', 'foo, websocket', 'websocket,foo', 'websocket, websocket'])(
    'is so for %s',
    (upgrade) => expect(offersWebSocket({ upgrade })).toBe(true),
  );

  it.each([undefined, '', 'h2c', 'websockets', 'web socket'])('is not so for %s', (upgrade) =>
    expect(offersWebSocket({ upgrade })).toBe(false),
  );
});

describe('switchingProtocols', () => {
  it('answers the example of RFC 6455, agreeing to nothing else', () => {
    const [status, ...lines] = switchingProtocols(RFC_KEY).split('\r\n');
    expect(status).toBe('HTTP/1.1 101 Switching Protocols');
    expect(lines).toEqual([
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${RFC_ACCEPT}`,
      '',
      '',
    ]);
  });
});
