import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { REFUSAL_STATUS, type Refusal, type RefusalCode } from '../request/refusal.ts';

const NO_STORE = { 'cache-control': 'no-store' };

/** Answers 200 with JSON. */
export function answer(c: Context, content: object): Response {
  return c.json(content, 200, NO_STORE);
}

/** Answers with an error code of the contract. */
export function refuse(c: Context, { refusal, retryAfterMs }: Refusal): Response {
  const status: Record<RefusalCode, ContentfulStatusCode> = REFUSAL_STATUS;
  const retryAfter =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return c.json({ error: refusal }, status[refusal], { ...NO_STORE, ...retryAfter });
}

/** Answers that there is nothing here. */
export function answerNotFound(c: Context): Response {
  return c.body(null, 404, NO_STORE);
}
