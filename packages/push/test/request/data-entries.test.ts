import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSend } from '../../src/request/parse-send.ts';
import { send } from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

const APS = '{"aps":{"alert":{"title":"Hello"},"sound":"default","mutable-content":1}';

/** Over the wire, where keys such as `__proto__` are keys like any other. */
function parse(dataText: string): ReturnType<typeof parseSend> {
  return parseSend(JSON.parse(`${JSON.stringify(send()).slice(0, -1)},"data":${dataText}}`));
}

function code(data: unknown): string {
  return codeOf(parse(JSON.stringify(data)));
}

function entries(count: number, value = 'v'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
}

describe('the data', () => {
  it('may have no entry', () => {
    expect(taken(parse('{}')).content.payloads.ios?.toString()).toBe(`${APS}}`);
  });

  it.each([1, 16])('may have %d entries', (count) => {
    expect(code(entries(count))).toBe('ok');
  });

  it('may not have 17', () => {
    expect(code(entries(17))).toBe('invalid_request');
  });

  it.each([
    'null',
    '[]',
    '["a"]',
    '"a"',
    '5',
    'true',
    '{"a":null}',
    '{"a":1}',
    '{"a":{}}',
    '{"a":["b"]}',
    '{"a":true}',
  ])('is a flat object of strings and not %s', (data) => {
    expect(codeOf(parse(data))).toBe('invalid_request');
  });
});

describe('a key', () => {
  it.each(['k', 'k'.repeat(64), 'ä'.repeat(32), '🔔'.repeat(16), ' ', 'APS', 'aps ', 'a.b'])(
    'may be %j',
    (key) => {
      expect(code({ [key]: 'v' })).toBe('ok');
    },
  );

  it.each(['', 'k'.repeat(65), `${'ä'.repeat(32)}x`, `${'🔔'.repeat(16)}x`])('may not be %j', (key) => {
    expect(code({ [key]: 'v' })).toBe('invalid_request');
  });

  it.each(['aps', '\\u0061ps'])('is never aps, in whatever spelling: %s', (key) => {
    expect(codeOf(parse(`{"${key}":"v"}`))).toBe('invalid_request');
  });

  it.each([
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
    'valueOf',
    'then',
  ])('may be %s, and reaches the phone', (key) => {
    expect(taken(parse(`{"${key}":"v"}`)).content.payloads.ios?.toString()).toBe(`${APS},"${key}":"v"}`);
  });

  it.each(['constructor', '__proto__', 'toString'])('named %s has to have a string, too', (key) => {
    expect(codeOf(parse(`{"${key}":{"a":"b"}}`))).toBe('invalid_request');
    expect(codeOf(parse(`{"${key}":null}`))).toBe('invalid_request');
  });

  it.each(['constructor', '__proto__'])('named %s has to keep the limits, too', (key) => {
    expect(codeOf(parse(`{"${key}":"${'x'.repeat(256)}"}`))).toBe('ok');
    expect(codeOf(parse(`{"${key}":"${'x'.repeat(257)}"}`))).toBe('invalid_request');
    const many = JSON.stringify(entries(15)).slice(1, -1);
    expect(codeOf(parse(`{${many},"${key}":"v"}`))).toBe('ok');
    expect(codeOf(parse(`{${many},"k15":"v","${key}":"v"}`))).toBe('invalid_request');
  });
});

describe('a value', () => {
  it.each(['', 'v'.repeat(256), 'ä'.repeat(128), '🔔'.repeat(64)])(
    'may be as long as the limit, in bytes',
    (value) => {
      expect(code({ key: value })).toBe('ok');
    },
  );

  it.each(['v'.repeat(257), `${'ä'.repeat(128)}x`, `${'🔔'.repeat(64)}x`])('may not be longer', (value) => {
    expect(code({ key: value })).toBe('invalid_request');
  });
});

describe('all entries together', () => {
  // Eight keys of 2 bytes, eight values of 254.
  const full = entries(8, 'v'.repeat(254));

  it('may have 2048 bytes, keys and values', () => {
    expect(code(full)).toBe('ok');
  });

  it('may not have 2049', () => {
    expect(code({ ...full, k0: 'v'.repeat(255) })).toBe('invalid_request');
    expect(code({ ...full, x: '' })).toBe('invalid_request');
  });
});

it('changes nothing but its own entries', () => {
  const key = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text !== 'aps');
  const value = fc.string({ maxLength: 12, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (data) => {
      const sent: unknown = JSON.parse(
        taken(parse(JSON.stringify(data))).content.payloads.ios?.toString() ?? '',
      );
      const { aps } = JSON.parse(`${APS}}`) as { aps: object };
      expect(Object.entries(sent as object).filter(([name]) => name !== 'aps')).toEqual(Object.entries(data));
      expect((sent as { aps: object }).aps).toEqual(aps);
    }),
  );
});
