import { resolveWithin } from '../base-url.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What an answer asks a Client to do next. */
export type NextStep =
  | { readonly kind: 'answer' }
  | { readonly kind: 'follow'; readonly url: URL; readonly method: string; readonly keepsBody: boolean }
  | { readonly kind: 'refuse'; readonly message: string };

/** An answer to a request. */
export interface Answered {
  readonly status: number;
  readonly location: string | null;
  readonly method: string;
  readonly url: URL;
}

/** What `redirect: 'follow'` makes of an answer (Fetch, section 4.4): nowhere but within the base. */
export function nextStep(base: URL, { status, location, method, url }: Answered): NextStep {
  if (!REDIRECTS.has(status) || location === null) return { kind: 'answer' };
  const next = resolveWithin(base, location, url);
  if (next === undefined) return { kind: 'refuse', message: 'the redirect leads out of the tunnel' };
  // A fragment lasts until a redirect brings one of its own.
  if (next.hash === '') next.hash = url.hash;
  const becomesGet =
    status === 303
      ? method !== 'GET' && method !== 'HEAD'
      : method === 'POST' && (status === 301 || status === 302);
  return { kind: 'follow', url: next, method: becomesGet ? 'GET' : method, keepsBody: !becomesGet };
}

/** Headers that speak of a body, and go when it goes. */
export const BODY_HEADERS: readonly string[] = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
];
