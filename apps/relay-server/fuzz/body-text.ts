import type { Tools } from './fixtures.ts';
import { ANYTHING } from './outcome.ts';
import type { Outcome } from './outcome.ts';

const MAX_BODY_BYTES = 16_384;

/** A body, and what may come of it. */
export interface Body {
  readonly bytes: Buffer;
  readonly outcomes: readonly Outcome[];
}

type Write = (json: string, outcomes: readonly Outcome[], tools: Tools) => Body;

/** Writes JSON as it should be, or in another way that says the same. */
export function writeBody(json: string, outcomes: readonly Outcome[], { random }: Tools): Body {
  const bytes = Buffer.from(json);
  const room = MAX_BODY_BYTES - bytes.length;
  if (room < 0) return { bytes, outcomes: ['payload_too_large'] };
  if (!random.chance(0.1)) return { bytes, outcomes };
  const spaces = Buffer.alloc(
    random.pick([room, room, random.integer(0, room)]),
    random.pick([' ', '\n', '\t']),
  );
  return { bytes: Buffer.concat(random.chance(0.5) ? [spaces, bytes] : [bytes, spaces]), outcomes };
}

/** Writes what is no JSON, or JSON with something odd about it. */
export function spoilBody(json: string, outcomes: readonly Outcome[], tools: Tools): Body {
  const body = tools.random.pick(SPOILS)(json, outcomes, tools);
  return body.bytes.length > MAX_BODY_BYTES ? { ...body, outcomes: ['payload_too_large'] } : body;
}

const BAD: readonly Outcome[] = ['invalid_request'];

function bad(make: (json: string, tools: Tools) => string | Uint8Array): Write {
  return (json, _outcomes, tools) => ({ bytes: Buffer.from(make(json, tools)), outcomes: BAD });
}

function odd(make: (json: string, tools: Tools) => string | Uint8Array): Write {
  return (json, _outcomes, tools) => ({ bytes: Buffer.from(make(json, tools)), outcomes: ANYTHING });
}

const SPOILS: readonly Write[] = [
  bad((json, { random }) => json.slice(0, random.integer(0, json.length - 1))),
  bad((json, { markers }) => json + markers.word()),
  bad((json, { markers }) => `${markers.word()}${json}`),
  bad((json) => `${json}${json}`),
  bad((json) => json.replaceAll('"', "'")),
  bad((json, { markers }) => json.replace('{', `{/*${markers.word()}*/`)),
  bad((json) => json.replace(/\}$/u, ',}')),
  bad((json) => json.replace(/"ts":/u, '"ts":+')),
  bad((json) => json.replace(/"ts":\d+/u, '"ts":NaN')),
  bad((json) => json.replace(/"ts":\d+/u, '"ts":1e999')),
  bad((json) => json.replace(/"ts":/u, '"ts":0')),
  bad((json) => Buffer.from(json, 'utf16le')),
  bad((json, { random }) =>
    insert(json, random.integer(1, 40), Buffer.from(random.pick(['c0af', 'ff', 'eda080', '80']), 'hex')),
  ),
  bad((_json, { markers }) => JSON.stringify(markers.text())),
  bad((_json, { markers }) => JSON.stringify([markers.text()])),
  bad((_json, { markers }) => `token=${markers.hex(32)}&title=${markers.word()}`),
  bad((_json, { random }) =>
    random.pick(['', ' ', 'null', 'true', '0', '""', '[]', '{}', '{"a":', '\u0000']),
  ),
  bad((_json, { random }) => random.bytes(random.integer(1, 600))),
  bad((_json, { random }) => '['.repeat(random.integer(1, 16_000))),
  bad((_json, { markers, random }) => `${'{"a":'.repeat(random.integer(1, 2000))}"${markers.word()}"`),
  bad((json, { random }) => json.padEnd(random.integer(MAX_BODY_BYTES + 1, 40_000))),
  odd((json) => `\ufeff${json}`),
  odd((json, { markers }) => json.replace('{', `{"sig":"${markers.word()}","token":"${markers.hex(32)}",`)),
  odd((json, { markers }) => json.replace(/\}$/u, `,"ts":"${markers.word()}"}`)),
  odd((json, { random }) => insert(json, random.integer(0, json.length), random.bytes(random.integer(1, 4)))),
  odd((json, { random }) => flipBit(json, random.next())),
  odd((json, { random }) => flipBit(json, random.next())),
  odd((json) => json.replace(/"ts":(\d+)/u, '"ts":$1.0')),
  odd((json) => json.replaceAll(/[a-z]/gu, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)),
];

function insert(json: string, at: number, inserted: Uint8Array): Buffer {
  const bytes = Buffer.from(json);
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}

function flipBit(json: string, word: number): Buffer {
  const bytes = Buffer.from(json);
  const at = (word >>> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (word & 7));
  return bytes;
}
