import { describe, expect, it } from 'vitest';
import { parseSend } from '../../src/request/parse-send.ts';
import { type Body, send, TOKEN, tokens, without } from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

function code(members: Body): string {
  return codeOf(parseSend(send(members)));
}

function payload(members: Body): string {
  return taken(parseSend(send(members))).content.payloads.ios?.toString() ?? '';
}

describe('the tokens', () => {
  it.each([1, 2, 100])('may be %d', (count) => {
    expect(taken(parseSend(send({ tokens: tokens(count) }))).content.tokens).toHaveLength(count);
  });

  it.each([0, 101])('may not be %d', (count) => {
    expect(code({ tokens: tokens(count) })).toBe('invalid_request');
  });

  it('are given on as sent, duplicates included', () => {
    const listed = [TOKEN.toUpperCase(), TOKEN, TOKEN];
    expect(taken(parseSend(send({ tokens: listed }))).content.tokens).toEqual(listed);
  });

  it('count with their duplicates', () => {
    expect(code({ tokens: Array.from({ length: 101 }, () => TOKEN) })).toBe('invalid_request');
  });

  it.each([null, TOKEN, { 0: TOKEN, length: 1 }, [null], [TOKEN, TOKEN.slice(2)], [[TOKEN]]])(
    'are not %j',
    (listed) => {
      expect(code({ tokens: listed })).toBe('invalid_request');
    },
  );

  it('are required', () => {
    expect(codeOf(parseSend(without(send(), 'tokens')))).toBe('invalid_request');
  });
});

describe('the title', () => {
  // Two bytes each in UTF-8, one UTF-16 unit; four bytes each, two units.
  it.each(['x', 'x'.repeat(256), 'ä'.repeat(128), '🔔'.repeat(64), '\0', ' '])('may be %j', (title) => {
    expect(code({ title })).toBe('ok');
  });

  it.each(['', 'x'.repeat(257), `${'ä'.repeat(128)}x`, `${'🔔'.repeat(64)}x`, null, 5])(
    'may not be %j',
    (title) => {
      expect(code({ title })).toBe('invalid_request');
    },
  );

  it('is required', () => {
    expect(codeOf(parseSend(without(send(), 'title')))).toBe('invalid_request');
  });
});

describe('the body', () => {
  it.each(['', 'x'.repeat(1024), 'ä'.repeat(512)])('may be as long as the limit, in bytes', (body) => {
    expect(code({ body })).toBe('ok');
  });

  it.each(['x'.repeat(1025), `${'ä'.repeat(512)}x`, null, 5, []])('may not be longer, nor %#', (body) => {
    expect(code({ body })).toBe('invalid_request');
  });

  it('is absent when it is empty', () => {
    expect(payload({ body: '' })).toBe(payload({}));
  });
});

describe('the badge', () => {
  it.each([0, 1, 2_147_483_647])('may be %d', (badge) => {
    expect(payload({ badge })).toContain(`"badge":${badge}`);
  });

  it('is nought when it is minus nought', () => {
    expect(payload({ badge: -0 })).toContain('"badge":0}');
  });

  it.each([-1, 0.5, '1', null, true, Number.POSITIVE_INFINITY])('may not be %j', (badge) => {
    expect(code({ badge })).toBe('invalid_request');
  });
});

describe('the collapse id', () => {
  it.each(['x', 'x'.repeat(64), 'a b', '!~"\\'])('may be %j', (collapseId) => {
    expect(taken(parseSend(send({ collapseId }))).content.collapseId).toBe(collapseId);
  });

  it.each(['x'.repeat(65), 'ä', 'a\tb', 'a\nb', 'a\r\nb', '\u007f', '\0', 'x\n', null, 5])(
    'may not be %j',
    (collapseId) => {
      expect(code({ collapseId })).toBe('invalid_request');
    },
  );

  it('is absent when it is empty or not there', () => {
    for (const members of [{}, { collapseId: '' }]) {
      expect(taken(parseSend(send(members))).content.collapseId).toBeUndefined();
    }
    expect(payload({ collapseId: '' })).toBe(payload({}));
  });
});

describe('the environment', () => {
  it.each(['production', 'sandbox'])('may be %s', (env) => {
    expect(taken(parseSend(send({ env }))).content.environment).toBe(env);
  });

  it('is the sandbox unless it is said', () => {
    expect(taken(parseSend(send())).content.environment).toBe('sandbox');
  });

  it.each(['', 'Production', 'development', null, 1])('may not be %j', (env) => {
    expect(code({ env })).toBe('invalid_request');
  });
});

describe('the payload', () => {
  it('holds an alert, a sound and leave for the app to change it', () => {
    expect(payload({ title: 'Hi' })).toBe(
      '{"aps":{"alert":{"title":"Hi"},"sound":"default","mutable-content":1}}',
    );
  });

  it('holds all that was given, in the order of the contract', () => {
    expect(
      payload({
        data: { sessionId: 's1', b: '' },
        collapseId: 'c-1',
        badge: 7,
        body: 'Fertig: "ä" 🔔',
        title: 'Hi\n',
        env: 'production',
      }),
    ).toBe(
      '{"aps":{"alert":{"title":"Hi\\n","body":"Fertig: \\"ä\\" 🔔"},"sound":"default","mutable-content":1,' +
        '"badge":7,"thread-id":"c-1"},"sessionId":"s1","b":""}',
    );
  });

  it('may have 4096 bytes and no more', () => {
    // Escapes take six bytes for each byte that the limits of the members count.
    const fits = { body: '\u0001'.repeat(600), data: { a: 'x'.repeat(256), b: 'x'.repeat(100) } };
    const room = 4096 - Buffer.byteLength(payload(fits));
    expect(room).toBeGreaterThan(0);
    expect(room).toBeLessThanOrEqual(256);
    const filled = (count: number): Body => ({ ...fits, title: `Hello${'y'.repeat(count)}` });
    expect(Buffer.byteLength(payload(filled(room)))).toBe(4096);
    expect(code(filled(room + 1))).toBe('invalid_request');
  });

  it('is counted in bytes, not in characters', () => {
    const body = 'ä'.repeat(512);
    expect(Buffer.byteLength(payload({ body })) - payload({ body }).length).toBe(512);
  });
});
