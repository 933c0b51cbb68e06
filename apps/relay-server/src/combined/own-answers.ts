import type { Answer } from './messages.ts';

/** What push answers when the worker cannot be asked, or has not answered. */
export const OWN_ANSWERS: Readonly<Record<'internal' | 'shuttingDown' | 'rateLimited', Answer>> = {
  internal: refusal(500, 'internal'),
  shuttingDown: refusal(503, 'shutting_down'),
  rateLimited: refusal(429, 'rate_limited', { 'retry-after': '1' }),
};

function refusal(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ error }),
  };
}
