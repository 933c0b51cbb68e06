import { describe, expect, it } from 'vitest';
import { parseRelayUrl } from '../../../src/cli/parse-relay-url.ts';
import {
  parseAllowPath,
  parseHeaderLine,
  parseLabel,
  parseListenAddress,
  parseMethod,
  parseName,
  parseOrigin,
  parsePageUrl,
  parseTarget,
} from '../../../src/cli/parse-values.ts';

const refused = { expected: expect.any(String) };

describe('ORIGIN', () => {
  it.each([
    ['3000', 'http://127.0.0.1:3000'],
    ['65535', 'http://127.0.0.1:65535'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:80', 'http://127.0.0.1'],
    ['127.8.9.1:81', 'http://127.8.9.1:81'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['https://localhost:3000', 'https://localhost:3000'],
  ])('%s is %s', (text, value) => {
    expect(parseOrigin(text)).toEqual({ value });
  });

  it.each([
    '0',
    '65536',
    '',
    'http://example.org',
    'http://127.0.0.1.example.org:80',
    'http://10.0.0.1:80',
    'ftp://localhost',
    'http://localhost/path',
    'http://localhost/?q',
    'http://localhost/#f',
    'http://user@localhost',
    'ws://localhost:3000',
  ])('%j is refused', (text) => {
    expect(parseOrigin(text)).toMatchObject(refused);
  });

  it('is not repeated when it may hold a password', () => {
    expect(parseOrigin('http://me:pw@localhost')).toMatchObject({ isSecret: true });
  });
});

describe('--listen', () => {
  it.each([
    ['0', '127.0.0.1', 0],
    ['9000', '127.0.0.1', 9000],
    ['0.0.0.0:80', '0.0.0.0', 80],
    ['localhost:1', 'localhost', 1],
    ['[::1]:65535', '::1', 65_535],
  ])('%s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ value: { host, port } });
  });

  it.each(['65536', '127.0.0.1', '127.0.0.1:65536', '::1:80', '[nope]:80', 'a b:80', ':80', '', '08'])(
    '%j is refused',
    (text) => {
      expect(parseListenAddress(text)).toMatchObject(refused);
    },
  );
});

describe('other values', () => {
  it('a name is a folder on any file system', () => {
    for (const name of ['a', 'web-2', 'x.y_z', '0', 'a'.repeat(64)])
      expect(parseName(name)).toEqual({ value: name });
    for (const name of ['', '.', '..', '-a', 'A', 'a/b', 'a b', 'a'.repeat(65), 'ä']) {
      expect(parseName(name)).toMatchObject(refused);
    }
  });

  it('a label is one printable line of at most 64 characters', () => {
    expect(parseLabel(' my phone ')).toEqual({ value: 'my phone' });
    expect(parseLabel('é'.repeat(64))).toEqual({ value: 'é'.repeat(64) });
    for (const label of ['', ' ', 'a\nb', '\u001b[1m', 'a\u202eb', 'x'.repeat(65)]) {
      expect(parseLabel(label)).toMatchObject(refused);
    }
  });

  it('an allowed path begins with a slash and is only a path', () => {
    for (const path of ['/', '/api', '/a/b%20c']) expect(parseAllowPath(path)).toEqual({ value: path });
    for (const path of ['', 'api', '/a?b', '/a#b', '/a b'])
      expect(parseAllowPath(path)).toMatchObject(refused);
  });

  it('a target is encoded already', () => {
    for (const target of ['/', '/a?b=c&d', "/a'b"]) expect(parseTarget(target)).toEqual({ value: target });
    for (const target of ['', 'a', '/a b', '/a#b', '/ä', '/a\r\nx'])
      expect(parseTarget(target)).toMatchObject(refused);
  });

  it('a method is a token, in upper case', () => {
    expect(parseMethod('delete')).toEqual({ value: 'DELETE' });
    for (const method of ['', 'A B', 'GET\r\n', 'CONNECT'])
      expect(parseMethod(method)).toMatchObject(refused);
  });

  it('a header has a name and a value, and is never repeated', () => {
    expect(parseHeaderLine('X-A:  b: c ')).toEqual({ value: ['x-a', 'b: c'] });
    expect(parseHeaderLine('x-empty:')).toEqual({ value: ['x-empty', ''] });
    for (const line of ['', 'x', ': v', 'a b: c', 'a: b\r\nc: d']) {
      expect(parseHeaderLine(line)).toMatchObject({ ...refused, isSecret: true });
    }
  });

  it('a page is a URL without a fragment', () => {
    expect(parsePageUrl('https://example.org/app')).toEqual({ value: 'https://example.org/app' });
    for (const page of ['', 'app', 'https://example.org/#x'])
      expect(parsePageUrl(page)).toMatchObject(refused);
  });

  it('a relay is a ws URL without a user; query and fragment go', () => {
    expect(parseRelayUrl('wss://r.example/ws?x#y')).toEqual({ value: 'wss://r.example/ws' });
    for (const url of ['', 'r.example', 'http://r.example/ws'])
      expect(parseRelayUrl(url)).toMatchObject(refused);
    expect(parseRelayUrl('wss://me:pw@r.example/ws')).toMatchObject({ ...refused, isSecret: true });
  });
});
