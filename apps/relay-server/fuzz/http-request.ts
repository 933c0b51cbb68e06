import type { Tools } from './fixtures.ts';

/** A request as it is to be framed. */
export interface Outgoing {
  readonly method?: string;
  readonly target: string;
  readonly body: Buffer;
}

const MAX_JUNK_BYTES = 8000;
const JUNK_NAMES = [
  'authorization',
  'cookie',
  'user-agent',
  'referer',
  'x-api-key',
  'forwarded',
  'x-forwarded-for',
  'origin',
];
const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'multipart/form-data; boundary=x',
];

/** Frames a request in one of the ways that HTTP/1.1 allows. */
export function frame({ method = 'POST', target, body }: Outgoing, tools: Tools): Buffer {
  const { random, markers } = tools;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${random.chance(0.1) ? markers.word() : 'push.example'}`,
  ];
  if (random.chance(0.8)) lines.push(`Content-Type: ${random.pick(CONTENT_TYPES)}`);
  if (random.chance(0.1)) lines.push(`Content-Type: ${markers.word()}`);
  if (random.chance(0.05)) lines.push(`Content-Encoding: ${markers.word()}`);
  if (random.chance(0.3)) lines.push(...makeJunk(tools));
  if (random.chance(0.03) && body.length > 0) lines.push('Expect: 100-continue');
  const isChunked = random.chance(0.25);
  if (isChunked) lines.push(`${random.pick(['Transfer-Encoding', 'transfer-encoding'])}: chunked`);
  else lines.push(`${random.pick(['Content-Length', 'CONTENT-LENGTH'])}: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, ...(isChunked ? chunk(body, tools) : [body])]);
}

/** A target with a query that nobody should care about. */
export function withQuery(path: string, { random, markers }: Tools): string {
  return random.chance(0.15)
    ? `${path}?${markers.word()}=${markers.word()}${random.pick(['', '%00', '%', '#', '??'])}`
    : path;
}

/** Where the bytes are cut into writes. */
export function makeCuts(length: number, { random }: Tools): number[] {
  if (!random.chance(0.15)) return [];
  const cuts = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, length - 1));
  return [...new Set(cuts)].sort((one, other) => one - other);
}

function makeJunk({ random, markers }: Tools): string[] {
  const lines: string[] = [];
  const count = random.integer(1, 5);
  for (let i = 0; i < count; i++) {
    const name = random.chance(0.2) ? `x-${markers.word()}` : random.pick(JUNK_NAMES);
    lines.push(
      `${name}: ${random.pick(['', 'Bearer ', 'a=b; c='])}${markers.word()}${random.pick(['', '\t\u00e9', '  '])}`,
    );
  }
  if (random.chance(0.05))
    lines.push(`x-long: ${markers.word().repeat(random.integer(1, MAX_JUNK_BYTES / 16))}`);
  return lines;
}

function chunk(body: Buffer, { random, markers }: Tools): Buffer[] {
  const parts: Buffer[] = [];
  const most = random.pick([7, 100, 5000, 100_000]);
  // Not so small that the body counts as one in absurdly many pieces.
  const least = Math.ceil(body.length / 900);
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, Math.max(least, random.integer(1, most)));
    const extension = random.chance(0.1) ? `;${markers.word()}=${markers.word()}` : '';
    const hex = random.chance(0.1) ? size.toString(16).toUpperCase().padStart(6, '0') : size.toString(16);
    parts.push(Buffer.from(`${hex}${extension}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  const trailer = random.chance(0.1) ? `x-trailer: ${markers.word()}\r\n` : '';
  return [...parts, Buffer.from(`0\r\n${trailer}\r\n`)];
}
