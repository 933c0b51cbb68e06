import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/request/parse-body.ts';
import { parseLiveActivity } from '../../src/request/parse-live-activity.ts';
import { parseLiveActivityRegistration, parseRegistration } from '../../src/request/parse-registration.ts';
import { parseSend } from '../../src/request/parse-send.ts';
import { isRefusal } from '../../src/request/refusal.ts';
import {
  type Body,
  contentState,
  item,
  liveActivity,
  liveActivityRegistration,
  NOW_MS,
  registration,
  send,
} from '../support/bodies.ts';

const MARKER = 'marker-5d41';

const RICH_SEND = send({ body: 'b', badge: 1, collapseId: 'c', env: 'production', data: { d: 'e' } });
const RICH_ACTIVITY = liveActivity({
  contentState: contentState({ title: 't', workingCount: 1, endedAt: 5, items: [item({ endedAt: 5 })] }),
  dismissalDate: 1,
  staleDate: 2,
  env: 'sandbox',
});

const PARSERS: [string, (json: unknown) => object, Body][] = [
  ['register-token', parseRegistration, registration()],
  ['register-live-activity-token', parseLiveActivityRegistration, liveActivityRegistration()],
  ['send', parseSend, RICH_SEND],
  ['live-activity', (json) => parseLiveActivity(json, NOW_MS), RICH_ACTIVITY],
];

/** What anybody may put in the place of a member. */
const stranger = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    MARKER,
    [MARKER],
    { [MARKER]: MARKER },
    `${MARKER}\n`,
    1e308,
    -0,
    '',
    [],
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.anything({ maxDepth: 2 }),
);

/** Changes one place somewhere in a body: another value, another name, or gone. */
function mutate(
  body: unknown,
  [at, how, value]: readonly [number, 'value' | 'name' | 'gone', unknown],
): unknown {
  let left = at % placesIn(body);
  function visit(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).flatMap(([name, member]): [string, unknown][] => {
      if (left-- !== 0) return [[name, visit(member)]];
      if (how === 'gone') return [];
      return how === 'name' ? [[MARKER, member]] : [[name, value]];
    });
    return Array.isArray(node) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
  }
  return visit(body);
}

function placesIn(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  return Object.values(node).reduce<number>((count, member) => count + 1 + placesIn(member), 0);
}

const change = fc.tuple(
  fc.nat(),
  fc.constantFrom('value' as const, 'name' as const, 'gone' as const),
  stranger,
);

describe.each(PARSERS)('%s', (_, parse, body) => {
  it('takes the body that the others are made from', () => {
    expect(isRefusal(parse(body))).toBe(false);
  });

  it('never throws, and refuses what is no request', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue()), (json) => {
        const result = parse(json);
        expect(result).toMatchObject({ refusal: 'invalid_request' });
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on what is nearly one, and never repeats it', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const result = parse(changes.reduce<unknown>(mutate, body));
        if (!isRefusal(result)) return;
        expect(Object.keys(result).sort()).toEqual(['detail', 'refusal']);
        expect(JSON.stringify(result)).not.toContain(MARKER);
      }),
      { numRuns: 1000 },
    );
  });

  it('says which member is wrong and nothing else', () => {
    for (const name of Object.keys(body)) {
      const result = parse({ ...body, [name]: [MARKER] });
      expect(isRefusal(result) && result.detail).toMatch(new RegExp(`^(?:${name}|contentState|tokens): `));
    }
  });
});

describe('a body that is no JSON', () => {
  it.each(['', ' ', '{', '{}}', "{'a':1}", '[1,]', 'NaN', `{"${MARKER}":}`, `"${MARKER}`, '{"a":1}x'])(
    'is refused and not repeated: %j',
    (text) => {
      const result = parseJson(Buffer.from(text));
      expect(result).toMatchObject({ refusal: 'invalid_request' });
      expect(JSON.stringify(result)).not.toContain(MARKER);
    },
  );

  it.each([
    ['a lone continuation', [0x22, 0x80, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a character that is cut off', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is refused: %s is not UTF-8', (_, bytes) => {
    expect(parseJson(Uint8Array.from(bytes))).toMatchObject({ refusal: 'invalid_request' });
  });

  it('is refused however deep it is', () => {
    const depth = 8000;
    expect(() => parseJson(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).not.toThrow();
    expect(parseJson(Buffer.from('['.repeat(16_384)))).toMatchObject({ refusal: 'invalid_request' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(() => parseJson(bytes)).not.toThrow();
      }),
    );
  });
});
