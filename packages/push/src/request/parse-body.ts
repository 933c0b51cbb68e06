import * as v from 'valibot';
import type { Refusal } from './refusal.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a body as JSON in UTF-8. */
export function parseJson(body: Uint8Array): { readonly json: unknown } | Refusal {
  try {
    return { json: JSON.parse(decoder.decode(body)) as unknown };
  } catch {
    // Not UTF-8 or not JSON; what exactly is wrong would quote the body.
    return { refusal: 'invalid_request', detail: 'body: not JSON in UTF-8' };
  }
}

/** Holds a value against a schema; the first fault decides, and only its place is told. */
export function check<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): { readonly value: v.InferOutput<Schema> } | Refusal {
  const result = v.safeParse(schema, value, { abortEarly: true, abortPipeEarly: true });
  if (result.success) return { value: result.output };
  return { refusal: 'invalid_request', detail: describe(result.issues[0]) };
}

/** Member names that the caller chose are left out: a key of `data` may be anything. */
function describe(issue: v.BaseIssue<unknown>): string {
  const [first] = issue.path ?? [];
  const member = typeof first?.key === 'string' && KNOWN_MEMBER.test(first.key) ? first.key : 'body';
  return `${member}: not as the contract has it`;
}

/** Members of the contract are short words; a stranger's own could be as short, but these say nothing of a user. */
const KNOWN_MEMBER =
  /^(?:publicKeyJwk|ts|sig|token|tokens|platform|kind|title|body|badge|collapseId|env|data|event|contentState|dismissalDate|staleDate)$/;
