import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatHttpRequest,
  formatHttpResponse,
  formatStreamAbort,
  formatWsClose,
  formatWsOpen,
  formatWsOpened,
  MAX_PAYLOAD_BYTES,
  parseHttpRequest,
  parseHttpResponse,
  parseStreamAbort,
  parseWsClose,
  parseWsOpen,
  parseWsOpened,
} from '../../src/index.ts';
import { charactersBetween, headers, token } from './arbitraries.ts';
import { exactPayloads, refusedPayloads, toleratedPayloads } from './vectors.ts';

type Parse = (payload: Uint8Array) => unknown;
type Format = (value: never) => Uint8Array | undefined;

const CODECS: Readonly<Record<string, { readonly format: Format; readonly parse: Parse }>> = {
  HttpRequest: { format: formatHttpRequest, parse: parseHttpRequest },
  HttpResponse: { format: formatHttpResponse, parse: parseHttpResponse },
  StreamAbort: { format: formatStreamAbort, parse: parseStreamAbort },
  WsOpen: { format: formatWsOpen, parse: parseWsOpen },
  WsOpened: { format: formatWsOpened, parse: parseWsOpened },
  WsClose: { format: formatWsClose, parse: parseWsClose },
};

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(payload: Uint8Array | undefined): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(payload);
}

function codecOf(kind: string): { readonly format: Format; readonly parse: Parse } {
  const codec = CODECS[kind];
  if (codec === undefined) throw new Error(`no payload is called ${kind}`);
  return codec;
}

describe('payloads', () => {
  it.each(exactPayloads)('writes and reads the golden $kind $text', ({ kind, value, text }) => {
    const { format, parse } = codecOf(kind);
    expect(textOf(format(value as never))).toBe(text);
    expect(parse(utf8(text))).toEqual(value);
  });

  it.each(toleratedPayloads)('reads a $kind with $name', ({ kind, value, text }) => {
    expect(codecOf(kind).parse(utf8(text))).toEqual(value);
  });

  it.each(refusedPayloads)('refuses the $kind $text', ({ kind, text }) => {
    expect(codecOf(kind).parse(utf8(text))).toBeUndefined();
  });

  it.each(Object.entries(CODECS))(
    '%s that is not UTF-8, begins with a mark or is too long is refused',
    (_kind, { parse }) => {
      const valid = utf8('{"code":1000,"reason":"x","path":"/","status":200,"method":"GET"}');
      expect(parse(valid)).toBeDefined();
      expect(parse(valid.map((byte) => (byte === 0x78 ? 0xff : byte)))).toBeUndefined();
      expect(
        parse(utf8('\ufeff{"code":1000,"reason":"","path":"/","status":200,"method":"GET"}')),
      ).toBeUndefined();
      const padded = '{"code":1000,"reason":"","path":"/","status":200,"method":"GET"}'.padEnd(
        MAX_PAYLOAD_BYTES,
      );
      expect(parse(utf8(padded))).toBeDefined();
      expect(parse(utf8(`${padded} `))).toBeUndefined();
    },
  );

  it.each(Object.entries(CODECS))('%s nested as deep as fits is read without a fault', (_kind, { parse }) => {
    expect(parse(utf8('['.repeat(MAX_PAYLOAD_BYTES)))).toBeUndefined();
    expect(parse(utf8('{"headers":'.repeat(5900)))).toBeUndefined();
  });
});

describe('headers', () => {
  it('keep names that an object would take for its own', () => {
    const text = '{"status":200,"headers":{"__proto__":"a","constructor":"b","toString":"c"}}';
    const read = parseHttpResponse(utf8(text))?.headers ?? {};
    expect(Object.entries(read)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['tostring', 'c'],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('join tens of thousands of values in no time', () => {
    const names = Array.from({ length: 60 }, (_, index) => 'via'.replace('i', index % 2 === 0 ? 'i' : 'I'));
    const text = `{"status":200,"headers":{"via":[${'"",'.repeat(21_000)}""],"VIA":"${names.join(' ')}"}}`;
    expect(parseHttpResponse(utf8(text))?.headers['via']).toHaveLength(2 * 21_001 + names.join(' ').length);
  });
});

describe('heads', () => {
  const path = charactersBetween(0x21, 0xff, '?#\u007f').map((text) => `/${text}`);
  const query = charactersBetween(0x21, 0xff, '#\u007f');

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(token, path, query, headers, (method, path, query, headers) => {
        const request = { method, path, query, headers };
        expect(parseHttpRequest(formatHttpRequest(request) ?? new Uint8Array())).toEqual(request);
        const open = { path, query, protocols: [method], headers };
        expect(parseWsOpen(formatWsOpen(open) ?? new Uint8Array())).toEqual(open);
        expect(parseWsOpened(formatWsOpened({ protocol: method }) ?? new Uint8Array())).toEqual({
          protocol: method,
        });
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), headers, (status, headers) => {
        const response = { status, headers };
        expect(parseHttpResponse(formatHttpResponse(response) ?? new Uint8Array())).toEqual(response);
      }),
    );
  });

  it('that do not fit a frame are not written', () => {
    const request = { method: 'GET', path: '/', query: '', headers: {} };
    const spare = MAX_PAYLOAD_BYTES - (formatHttpRequest(request)?.length ?? 0);
    expect(formatHttpRequest({ ...request, query: 'x'.repeat(spare) })).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(formatHttpRequest({ ...request, query: 'x'.repeat(spare + 1) })).toBeUndefined();
    expect(formatHttpResponse({ status: 200, headers: { a: 'x'.repeat(70_000) } })).toBeUndefined();
    expect(formatWsOpen({ path: `/${'x'.repeat(70_000)}`, query: '' })).toBeUndefined();
    expect(formatWsOpened({ protocol: 'x'.repeat(70_000) })).toBeUndefined();
  });
});

describe('reasons', () => {
  it('of a close are cut to what a close frame holds, between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (reason) => {
        const read = parseWsClose(formatWsClose({ code: 1000, reason }))?.reason ?? '';
        expect(utf8(read).length).toBeLessThanOrEqual(123);
        expect(reason.startsWith(read)).toBe(true);
        if (utf8(reason).length <= 123) expect(read).toBe(reason);
        else expect(utf8(read).length).toBeGreaterThan(119);
      }),
    );
  });

  it('of a close that a peer sends too long are cut too', () => {
    expect(parseWsClose(utf8(`{"code":1000,"reason":"${'é'.repeat(62)}"}`))?.reason).toBe('é'.repeat(61));
  });

  it('of an abort are cut at 256', () => {
    expect(parseStreamAbort(formatStreamAbort({ reason: 'x'.repeat(256) }))?.reason).toHaveLength(256);
    expect(parseStreamAbort(formatStreamAbort({ reason: 'x'.repeat(257) }))?.reason).toHaveLength(256);
    expect(parseStreamAbort(utf8(`{"reason":"${'x'.repeat(257)}"}`))?.reason).toHaveLength(256);
  });
});
