import { parseHeaderLine, parseMethod, parseTarget, parseText } from '../cli/parse-values.ts';
import { LINK_VARIABLE } from '../cli/commands.ts';
import { parseNamed } from '../cli/settings.ts';
import type { Settings } from '../cli/settings.ts';
import { UsageError } from '../cli/usage-error.ts';
import { parseRequestTarget } from '../connect/request-target.ts';
import type { RequestTarget } from '../connect/request-target.ts';

/** Where a request's body comes from. */
export type DataSource =
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'stdin' };

/** What `get` is told, checked. */
export interface GetConfig {
  /** `undefined`: the variable has it. */
  readonly linkOperand: string | undefined;
  readonly target: RequestTarget;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: DataSource | undefined;
  /** `undefined`: stdout. */
  readonly output: string | undefined;
}

/** @throws {UsageError} for the first thing that is not usable. */
export function resolveGet(settings: Settings, style: { readonly json: boolean }): GetConfig {
  const { linkOperand, path } = readOperands(settings);
  const data = settings.read('--data', parseData);
  const output = settings.read('--output', parseText);
  if (style.json && output === undefined) {
    throw new UsageError('Missing --output: expected with --json, as stdout carries the body otherwise');
  }
  if (linkOperand === '-' && data?.from === 'stdin') {
    throw new UsageError('Invalid --data: expected text or @file, as stdin has the link already');
  }
  return {
    linkOperand,
    target: targetOf(path),
    method: settings.read('--method', parseMethod) ?? (data === undefined ? 'GET' : 'POST'),
    headers: collectHeaders(settings.readAll('--header', parseHeaderLine)),
    data,
    output,
  };
}

/** With the link in its variable, one operand is the path. */
function readOperands(settings: Settings): { linkOperand: string | undefined; path: string } {
  const [first, second] = settings.operands;
  if (second !== undefined) return { linkOperand: first, path: second };
  if (first !== undefined && settings.variable(LINK_VARIABLE) !== undefined) {
    return { linkOperand: undefined, path: first };
  }
  throw new UsageError(
    `Missing ${first === undefined ? 'LINK and PATH' : 'PATH'}: expected a pairing link, - or ${LINK_VARIABLE}, and a path that begins with /`,
  );
}

function targetOf(path: string): RequestTarget {
  const target = parseRequestTarget(parseNamed('PATH', path, parseTarget));
  // What begins with a slash is a path.
  return target ?? { path: '/', query: '' };
}

function parseData(text: string): { readonly value: DataSource } | { readonly expected: string } {
  if (text === '-' || text === '@-') return { value: { from: 'stdin' } };
  if (!text.startsWith('@')) return { value: { from: 'text', text } };
  return text.length > 1
    ? { value: { from: 'file', path: text.slice(1) } }
    : { expected: 'text, @file or -' };
}

/** A header that is given twice has both values (RFC 9110 section 5.3). */
function collectHeaders(lines: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>([['accept', '*/*']]);
  const given = new Set<string>();
  for (const [name, value] of lines) {
    headers.set(name, given.has(name) ? `${headers.get(name) ?? ''}, ${value}` : value);
    given.add(name);
  }
  return Object.fromEntries(headers);
}
