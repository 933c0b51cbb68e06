import type { SignedRequest } from '../../src/request/envelope.ts';
import { isRefusal, type Refusal } from '../../src/request/refusal.ts';

/** `ok`, or the code that a caller gets. */
export function codeOf(result: object): string {
  return isRefusal(result) ? result.refusal : 'ok';
}

/** The request that a parser has taken. */
export function taken<Content>(result: SignedRequest<Content> | Refusal): SignedRequest<Content> {
  if (isRefusal(result)) throw new Error(`refused: ${result.detail}`);
  return result;
}
