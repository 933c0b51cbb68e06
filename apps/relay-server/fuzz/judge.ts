import type { RawAnswer } from './answer.ts';
import { headerOf } from './answer.ts';
import type { MarkerIndex } from './marker-index.ts';
import { ERROR_STATUS } from './outcome.ts';
import type { ErrorCode, Outcome } from './outcome.ts';
import type { Exchange } from './plan.ts';

const OK = '{"ok":true}';
/** Every header that an answer may have, and how its value looks. */
const HEADERS: ReadonlyMap<string, RegExp> = new Map([
  ['cache-control', /^no-store$/u],
  ['content-type', /^application\/json(?:; ?charset=utf-8)?$/iu],
  ['content-length', /^\d{1,6}$/u],
  ['retry-after', /^[1-9]\d{0,4}$/u],
  ['connection', /^(?:close|keep-alive)$/iu],
  ['keep-alive', /^timeout=\d{1,4}$/u],
  ['date', /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/u],
]);
/** Answers to what is not HTTP have no body (Layer 1 §1). */
const BARE: readonly number[] = [400, 404, 431];

interface Row {
  readonly token: string;
  readonly ok: boolean;
  readonly drop?: boolean;
}

/** As it comes: nothing is known about it yet. */
type RawRow = Readonly<Partial<Record<keyof Row, unknown>>>;

/** What an answer is in the words of the contract, or what is wrong with it. */
export type Reading =
  | { readonly outcome: Outcome; readonly rows?: readonly Row[] }
  | { readonly fault: string };

/** Holds an answer against the contract's closed set. */
export function readAnswer(answer: RawAnswer): Reading {
  const { status, headers, body } = answer;
  for (const [name, value] of headers) {
    if (HEADERS.get(name)?.test(value) !== true) return { fault: `header ${JSON.stringify([name, value])}` };
  }
  if (headerOf(headers, 'cache-control') === undefined) return { fault: 'no cache-control' };
  if (status === 404)
    return body === '' ? { outcome: 'not_found' } : { fault: `a 404 with ${JSON.stringify(body)}` };
  if (headerOf(headers, 'content-type') === undefined) return { fault: `a ${status} that is no JSON` };
  if (status === 200) return readSuccess(body);
  const code = /^\{"error":"([a-z_]{1,30})"\}$/u.exec(body)?.[1];
  if (code === undefined || !Object.hasOwn(ERROR_STATUS, code))
    return { fault: `body ${JSON.stringify(body)}` };
  const outcome = code as ErrorCode;
  if (ERROR_STATUS[outcome] !== status) return { fault: `${outcome} with status ${status}` };
  if (status === 429 && headerOf(headers, 'retry-after') === undefined)
    return { fault: 'a 429 without retry-after' };
  return { outcome };
}

function readSuccess(body: string): Reading {
  if (body === OK) return { outcome: 'ok' };
  let rows: readonly RawRow[];
  try {
    ({ results: rows } = JSON.parse(body) as { results: readonly RawRow[] });
  } catch (error) {
    return { fault: `a 200 that is no JSON: ${String(error)}` };
  }
  // Written again from what is known, it has to be the same: nothing else can be in it.
  const again = rows.map(({ token, ok, drop }) => ({
    token: String(token),
    ok: ok === true,
    ...(drop === true ? { drop } : {}),
  }));
  if (JSON.stringify({ results: again }) !== body) return { fault: `a 200 with ${JSON.stringify(body)}` };
  if (again.some(({ ok, drop }) => ok && drop === true)) return { fault: 'a row with ok and drop' };
  return { outcome: 'ok', rows: again };
}

/** What is wrong with the answer to an exchange; undefined when nothing is. */
export function judgeAnswer(exchange: Exchange, answer: RawAnswer, index: MarkerIndex): string | undefined {
  const reading = readAnswer(answer);
  const isEnd = exchange.due.kind === 'end';
  if ('fault' in reading && !(isEnd && isBare(answer))) return `${reading.fault} in ${quote(answer)}`;
  const rows = 'rows' in reading ? reading.rows : undefined;
  const leak = index.find(without(answer.text, rows ?? []));
  if (leak !== undefined) return `an answer holds a marker of seed ${leak.owner}: ${quote(answer)}`;
  if (exchange.due.kind === 'end' || 'fault' in reading) return undefined;
  const { outcomes } = exchange.due;
  if (!outcomes.includes(reading.outcome)) return `${reading.outcome} where ${outcomes.join(' or ')} is due`;
  return rows === undefined ? undefined : judgeRows(exchange, rows);
}

function isBare({ status, headers, body }: RawAnswer): boolean {
  if (status === 101) return true;
  const isClosing = headerOf(headers, 'connection')?.toLowerCase() === 'close';
  return (
    isClosing && body === '' && BARE.includes(status) && headerOf(headers, 'cache-control') === 'no-store'
  );
}

function judgeRows({ rows: due, bytes }: Exchange, rows: readonly Row[]): string | undefined {
  const tokens = rows.map(({ token }) => token);
  if (due !== undefined) {
    return tokens.join() === due.join()
      ? undefined
      : `rows for ${tokens.length} tokens, not for the ${due.length} asked for`;
  }
  if (new Set(tokens).size !== tokens.length) return 'two rows for one token';
  const request = bytes.toString('latin1');
  return tokens.every((token) => isIn(request, token)) ? undefined : 'a row for a token that was not named';
}

/** A chunk or an escape may be in the middle of it. */
function isIn(request: string, token: string): boolean {
  return (
    request.includes(token) ||
    request.includes(token.slice(0, 12)) ||
    /\\u00|\r\n[\da-f]+(?:;|\r\n)/iu.test(request)
  );
}

function without(text: string, rows: readonly Row[]): string {
  return rows.reduce((rest, { token }) => rest.replace(token, ''), text);
}

function quote({ text }: RawAnswer): string {
  return JSON.stringify(text.slice(0, 400));
}
