import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawRequest, RawResponse } from '@openchambery/client';
import { answerFailure } from './answer-failure.ts';
import { describeFailure } from './describe-failure.ts';
import type { Failure } from './describe-failure.ts';
import { fromTunnelHeaders, toTunnelHeaders, withoutOwnOrigin } from './message-headers.ts';
import { watchForVerdict } from './pairing-standing.ts';
import type { PairingVerdict } from './pairing-standing.ts';
import { requestBody } from './request-body.ts';
import { isOwnPage } from './request-guard.ts';
import { parseRequestTarget } from './request-target.ts';
import type { TunnelDoor } from './tunnel-door.ts';
import { writeBody } from './write-body.ts';

/** A local request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Hears what the answer says about the pairing, if anything. */
  readonly onVerdict: (verdict: PairingVerdict) => void;
}

const NOT_A_PATH: Failure = {
  status: 400,
  error: 'bad_request',
  message: 'The request has no path that the tunnel could forward.',
};

const TOO_LARGE: Failure = {
  // RFC 6585 section 5.
  status: 431,
  error: 'headers_too_large',
  message: 'The request has more headers than the tunnel can carry.',
};

/** Takes one local request through the tunnel. Never rejects: what goes wrong is answered, or cuts the connection. */
export async function forwardRequest(exchange: Exchange, door: TunnelDoor): Promise<void> {
  const { request, response } = exchange;
  const target = parseRequestTarget(request.url ?? '');
  if (target === undefined) return answerFailure(response, NOT_A_PATH);
  const leaving = new AbortController();
  // 'close' comes after a whole answer, too; nobody listens to the signal any more then.
  response.once('close', () => leaving.abort(new Error('the local program went away')));
  response.on('error', () => {
    // A program that went away in the middle: 'close' follows.
  });
  const body = requestBody(request);
  const headers = toTunnelHeaders(request.rawHeaders);
  const forwarded: RawRequest = {
    ...target,
    method: request.method ?? 'GET',
    headers: isOwnPage(request) ? withoutOwnOrigin(headers) : headers,
    body: body?.stream,
    signal: leaving.signal,
  };
  let answer: RawResponse | undefined;
  try {
    answer = await door.request(forwarded);
    await writeAnswer(answer, exchange, leaving.signal);
  } catch (error) {
    answer?.abort('the answer was not wanted any more');
    body?.drop();
    failResponse(response, error);
  }
}

async function writeAnswer(
  answer: RawResponse,
  { response, onVerdict }: Exchange,
  left: AbortSignal,
): Promise<void> {
  const giveUp = (): void => answer.abort('the local program went away');
  if (left.aborted) return giveUp();
  left.addEventListener('abort', giveUp, { once: true });
  // What the origin did not say, we do not say for it.
  response.sendDate = false;
  const kind = response.req.method === 'HEAD' || answer.status === 304 ? 'bodyless' : 'with-body';
  response.writeHead(answer.status, fromTunnelHeaders(answer.headers, kind));
  // An event stream's head is news by itself, long before its first event.
  response.flushHeaders();
  if ((await writeBody(watchForVerdict(answer, onVerdict), response)) === 'reader-gone') return giveUp();
  left.removeEventListener('abort', giveUp);
  response.end();
}

/** Before the head there can still be an answer; after it only the cut tells that the rest is missing. */
function failResponse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    // With a reset: the end of an HTTP/1.0 answer is the end of its connection, if it ends well.
    if (response.socket === null) response.destroy();
    else response.socket.resetAndDestroy();
  } else if (!response.destroyed) {
    answerFailure(response, isTooLarge(error) ? TOO_LARGE : describeFailure(error));
  }
}

/** The Client says so by a TypeError, as `fetch` would, whose cause is the tunnel's. */
function isTooLarge(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof RangeError;
}
