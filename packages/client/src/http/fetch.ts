import type { RawResponse, RelayClient } from '../relay-client.ts';
import { RelayClientError } from '../relay-client-error.ts';
import type { BodySource } from './body-source.ts';
import type { Call } from './exchange.ts';
import { type FetchArguments, readFetchArguments } from './fetch-arguments.ts';
import { toTunnelHeaders } from './headers.ts';
import { BODY_HEADERS, nextStep } from './redirect.ts';
import { toResponse } from './response.ts';

/** As many are followed (Fetch, section 4.4). */
const MAX_REDIRECTS = 20;

/** What a request is made with. */
export interface FetchParts {
  readonly base: URL;
  readonly send: (request: Omit<Call, 'lossError'>) => Promise<RawResponse>;
}

/** `fetch` within a base. */
export function createFetch({ base, send }: FetchParts): RelayClient['fetch'] {
  return async (input, init = {}) => {
    const asked = await readFetchArguments(base, input, init);
    const headers = new Headers(asked.headers);
    let { url, method, body } = asked;
    for (let redirects = 0; ; redirects += 1) {
      const head = {
        method,
        path: url.pathname,
        query: url.search.slice(1),
        headers: toTunnelHeaders(headers),
      };
      const raw = await send({ head, body, signal: asked.signal });
      const location = locationOf(raw);
      const step = nextStep(base, { status: raw.status, location, method, url });
      if (step.kind === 'answer' || asked.redirect === 'manual') {
        return toResponse(raw, { url, method, isRedirected: redirects > 0 });
      }
      raw.body.discard();
      // An upload that is still under way has its answer, and would go on for as long as its source does.
      if (body !== undefined) raw.abort('the answer is a redirect');
      if (step.kind === 'refuse') throw redirectError(step.message);
      if (asked.redirect === 'error') throw redirectError('a redirect was not wanted');
      if (redirects === MAX_REDIRECTS) throw redirectError(`there were more than ${MAX_REDIRECTS} redirects`);
      body = step.keepsBody ? renew(body, asked, headers) : undefined;
      if (!step.keepsBody) for (const name of BODY_HEADERS) headers.delete(name);
      ({ url, method } = step);
    }
  };
}

function locationOf({ headers }: RawResponse): string | null {
  const value = headers['location'];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

/** The body once more, and its type where `fetch` named it. */
function renew(
  body: BodySource | undefined,
  asked: FetchArguments,
  headers: Headers,
): BodySource | undefined {
  if (body === undefined) return undefined;
  const next = body.renew();
  if (next === undefined) throw redirectError('the redirect asks for the body again, which was a stream');
  const isOwnType = asked.body?.contentType === asked.headers.get('content-type');
  if (isOwnType && next.contentType !== undefined) headers.set('content-type', next.contentType);
  return next;
}

function redirectError(message: string): RelayClientError {
  return new RelayClientError('ERR_RELAY_CLIENT_REDIRECT', message);
}
