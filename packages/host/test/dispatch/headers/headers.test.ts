import { PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { fieldsOfRaw, groupFields } from '../../../src/dispatch/headers/header-fields.ts';
import { parseRequestHeaders, socketHeaders } from '../../../src/dispatch/headers/request-headers.ts';
import { formatResponseHeaders, urgencyOf } from '../../../src/dispatch/headers/response-headers.ts';

const OWN = { 'accept-encoding': 'identity', 'x-openchamber-relay-connection': 'c-7' };

describe('the headers of a request', () => {
  it('lose what concerns one connection, and what connection names', () => {
    const parsed = parseRequestHeaders(
      {
        connection: 'close, X-Named ,x-other',
        'x-named': '1',
        'x-other': '2',
        'keep-alive': 'timeout=5',
        'proxy-connection': 'keep-alive',
        'proxy-authenticate': 'Basic',
        'proxy-authorization': 'Basic eA==',
        te: 'trailers',
        trailer: 'x-sum',
        'transfer-encoding': 'gzip, chunked',
        upgrade: 'h2c',
        host: 'example.com',
        'content-length': '12',
        expect: '100-continue',
        authorization: 'Bearer x',
        'x-kept': 'y',
      },
      'c-7',
    );
    expect(parsed?.passedOn).toEqual({ ...OWN, authorization: 'Bearer x', 'x-kept': 'y' });
  });

  it('name the connection themselves, whatever the Client says', () => {
    for (const name of [
      'x-openchamber-relay-connection',
      'X-OpenChamber-Relay-Connection',
      'x_openchamber_relay-connection',
    ]) {
      expect(parseRequestHeaders({ [name]: ['fake', 'faker'] }, 'c-7')?.passedOn).toEqual(OWN);
    }
    const named = parseRequestHeaders({ connection: 'x-openchamber-relay-connection' }, 'c-7');
    expect(named?.passedOn).toEqual(OWN);
  });

  it('give the secret to the policy alone', () => {
    const upper = PAIRING_SECRET_HEADER.toUpperCase();
    expect(parseRequestHeaders({ [PAIRING_SECRET_HEADER]: 's' }, 'c-7')).toEqual({
      passedOn: OWN,
      secret: 's',
    });
    expect(parseRequestHeaders({ [upper]: ['s'] }, 'c-7')).toEqual({ passedOn: OWN, secret: 's' });
    for (const doubled of [
      { [PAIRING_SECRET_HEADER]: ['s', 's'] },
      { [PAIRING_SECRET_HEADER]: 's', [upper]: 's' },
    ]) {
      expect(parseRequestHeaders(doubled, 'c-7')).toEqual({ passedOn: OWN, secret: undefined });
    }
    expect(parseRequestHeaders({ connection: PAIRING_SECRET_HEADER, [upper]: 's' }, 'c-7')?.secret).toBe('s');
  });

  it('join what came several times', () => {
    const parsed = parseRequestHeaders({ 'x-a': ['1', '2'], 'X-A': '3', cookie: ['a=1', 'b=2'] }, 'c-7');
    expect(parsed?.passedOn).toEqual({ ...OWN, 'x-a': '1, 2, 3', cookie: 'a=1; b=2' });
  });

  it('may have any name', () => {
    const headers = JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, string>;
    const passedOn = parseRequestHeaders(headers, 'c-7')?.passedOn ?? {};
    expect(Object.entries(passedOn)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ...Object.entries(OWN),
    ]);
  });

  it.each([
    { '': 'x' },
    { 'x y': 'x' },
    { 'x:': 'x' },
    { 'x\r\n': 'x' },
    { ü: 'x' },
    { x: 'a\r\nb: c' },
    { x: 'a\nb' },
    { x: 'a\0b' },
    { x: 'a\x7fb' },
    { x: '\u0100' },
    { x: ['fine', 'a\rb'] },
  ])('are refused when HTTP does not allow them: %j', (headers) => {
    expect(parseRequestHeaders(headers, 'c-7')).toBeUndefined();
  });

  it('leave to a WebSocket what its handshake says', () => {
    expect(
      socketHeaders({
        ...OWN,
        origin: 'https://page.example',
        'sec-websocket-key': 'x',
        'sec-websocket-version': '13',
        'sec-websocket-protocol': 'x',
        'sec-websocket-extensions': 'permessage-deflate',
        cookie: 'a=1',
      }),
    ).toEqual({ cookie: 'a=1', 'x-openchamber-relay-connection': 'c-7' });
  });
});

describe('the headers of an answer', () => {
  function format(...raw: string[]) {
    return formatResponseHeaders(fieldsOfRaw(raw), 'http://localhost:3000');
  }

  it('lose what concerns one connection, the length and the coding', () => {
    expect(
      formatResponseHeaders(
        groupFields([
          ['Connection', 'keep-alive, X-Hop'],
          ['X-Hop', '1'],
          ['Keep-Alive', 'timeout=5'],
          ['Content-Length', '5'],
          ['Transfer-Encoding', 'chunked'],
          ['Content-Encoding', 'gzip'],
          ['Trailer', 'X-Sum'],
          ['Upgrade', 'h2c'],
          ['Proxy-Authenticate', 'Basic'],
          ['Content-Type', 'text/plain'],
          ['ETag', '"x"'],
          ['Vary', 'Accept-Encoding'],
        ]),
        undefined,
      ),
    ).toEqual({ 'content-type': 'text/plain', etag: '"x"', vary: 'Accept-Encoding' });
  });

  it('join what came several times, but for cookies', () => {
    expect(format('Link', '<a>', 'link', '<b>', 'Set-Cookie', 'a=1, 2', 'set-cookie', 'b=1')).toEqual({
      link: '<a>, <b>',
      'set-cookie': ['a=1, 2', 'b=1'],
    });
    expect(format('Set-Cookie', 'a=1')).toEqual({ 'set-cookie': 'a=1' });
  });

  it.each([
    ['/path', '/path'],
    ['http://localhost:3000/path?q#f', '/path?q#f'],
    ['http://localhost:3000', '/'],
    ['http://127.0.0.1:3000/path', 'http://127.0.0.1:3000/path'],
    ['http://localhost:3001/', 'http://localhost:3001/'],
    ['https://localhost:3000/', 'https://localhost:3000/'],
    ['http://localhost:3000//evil.example/', 'http://localhost:3000//evil.example/'],
    ['http://[', 'http://['],
  ])('lead from %s to %s', (location, expected) => {
    expect(format('Location', location)).toEqual({ location: expected });
  });

  it.each([
    ['text/event-stream', 'prompt'],
    ['Text/Event-Stream ; charset=utf-8', 'prompt'],
    ['application/x-ndjson', 'prompt'],
    ['application/ndjson', 'prompt'],
    ['application/jsonl', 'prompt'],
    ['application/json', 'patient'],
    ['', 'patient'],
  ] as const)('say how soon the body is wanted: %s', (type, urgency) => {
    expect(urgencyOf(fieldsOfRaw(['Content-Type', type, 'Content-Length', '5']))).toBe(urgency);
    expect(urgencyOf(fieldsOfRaw(['Content-Type', type]))).toBe('prompt');
  });
});
