import { encodeBase64url, type HostIdentity } from '@openchambery/protocol';
import type { Clock } from '@openchambery/tunnel';
import { describeDialError } from '../relay/dial-fault.ts';
import { UniqueTime } from '../unique-time.ts';
import { readBounded } from './bounded-body.ts';
import { failureOf, unavailable } from './failure-of.ts';
import type { PushFailure } from './push-outcome.ts';
import { routeUrl, type PushRoute } from './push-url.ts';

const SIGNATURE_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

/** Results for 100 of the longest tokens take about 60 KB. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Longest body a push relay takes, in bytes. */
export const MAX_BODY_BYTES: number = 16 * 1024;

/** What {@link PushTransport} adds to a body, in bytes, generously: key, time, signature. */
export const ENVELOPE_BYTES = 400;

/** What a push relay answered with 200, or why there is nothing. */
export type PushAnswer = { readonly isOk: true; readonly json: unknown } | PushFailure;

/** The part of `fetch` that is used. */
export type PushFetch = (url: string, init: RequestInit) => Promise<Response>;

/** What requests are made with. */
export interface PushTransportOptions {
  readonly sendUrl: string;
  readonly identity: HostIdentity;
  readonly clock: Clock;
  readonly fetch: PushFetch;
  /** How long one request may take, in ms. */
  readonly timeoutMs: number;
}

/** Signs requests and makes them. */
export class PushTransport {
  readonly #options: PushTransportOptions;
  readonly #time: UniqueTime;

  constructor(options: PushTransportOptions) {
    this.#options = options;
    this.#time = new UniqueTime(options.clock);
  }

  /** `textOf` gives what is signed at a time. Expected failures are values. */
  async post(route: PushRoute, members: object, textOf: (ts: number) => string): Promise<PushAnswer> {
    const { identity } = this.#options;
    const ts = this.#time.next();
    const text = new TextEncoder().encode(textOf(ts));
    const signature = await crypto.subtle.sign(SIGNATURE_ALGORITHM, identity.privateKey, text);
    const sig = encodeBase64url(new Uint8Array(signature));
    return this.#exchange(route, JSON.stringify({ publicKeyJwk: identity.publicJwk, ts, sig, ...members }));
  }

  async #exchange(route: PushRoute, body: string): Promise<PushAnswer> {
    const { sendUrl, clock, timeoutMs } = this.#options;
    const abort = new AbortController();
    const deadline = clock.setTimer(() => abort.abort(), timeoutMs);
    try {
      const response = await this.#options.fetch(routeUrl(sendUrl, route), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        // A redirect would take the tokens wherever it points.
        redirect: 'manual',
        signal: abort.signal,
      });
      return await readAnswer(response);
    } catch (error) {
      if (abort.signal.aborted)
        return unavailable(`the push relay did not answer within ${timeoutMs / 1000} s`);
      return unavailable(describeFetchError(error));
    } finally {
      deadline.cancel();
    }
  }
}

async function readAnswer(response: Response): Promise<PushAnswer> {
  const text = await readBounded(response, MAX_ANSWER_BYTES);
  if (text === undefined) return unavailable('the push relay answered with more than it should');
  const json = parseJson(text);
  if (response.status === 200 && json !== undefined) return { isOk: true, json };
  return failureOf(response, json);
}

/** `fetch` hides what happened in a cause. */
function describeFetchError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return `push: ${describeDialError(cause)}`;
  return 'the push relay cannot be reached';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the status alone has to say what it means.
    return undefined;
  }
}
