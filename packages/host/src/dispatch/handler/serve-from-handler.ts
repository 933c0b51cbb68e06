import { Readable } from 'node:stream';
import type { HostHttpStream } from '@openchambery/tunnel';
import type { HandlerContext, HostHandler } from '../../relay-host.ts';
import { sendResponse, type TargetResponse } from '../body/send-response.ts';
import { groupFields } from '../headers/header-fields.ts';
import type { OriginRequestHead } from '../origin/origin-client.ts';
import type { Outcome } from '../outcome.ts';
import { REFUSAL } from '../refusal.ts';
import { requestBody } from './request-body.ts';

/** Where a handler's requests seem to be: nobody ever connects to it. */
const BASE_URL = 'http://localhost';

/** RFC 9110 section 9.3: methods that the Fetch API refuses to make a request of. */
const NOT_FOR_FETCH = /^(?:connect|trace|track)$/i;

/** Has an admitted request answered by a function. */
export async function serveFromHandler(
  stream: HostHttpStream,
  head: OriginRequestHead,
  { handler, connectionId }: HandlerContext & { readonly handler: HostHandler },
): Promise<Outcome> {
  if (NOT_FOR_FETCH.test(head.method)) {
    return { kind: 'refused', refusal: REFUSAL.invalidMethod };
  }
  let response: TargetResponse;
  try {
    response = targetResponse(await handler(makeRequest(stream, head), { connectionId }), head.method);
  } catch {
    // What it threw may hold anything; whoever wrote the handler catches what he wants to know of.
    return { kind: 'refused', refusal: REFUSAL.handlerFailed };
  }
  const outcome = await passOn(stream, response);
  // Whatever was not read of the request is wanted no more.
  stream.body.discard();
  return stream.signal.aborted ? { kind: 'abandoned' } : outcome;
}

function makeRequest(stream: HostHttpStream, { method, target, headers }: OriginRequestHead): Request {
  const init = { method, headers, signal: stream.signal };
  if (/^(?:get|head)$/i.test(method)) {
    stream.body.discard();
    return new Request(BASE_URL + target, init);
  }
  return new Request(BASE_URL + target, { ...init, body: requestBody(stream.body), duplex: 'half' });
}

/** Throws when it is no response, or one whose body was read already. */
function targetResponse(response: Response, method: string): TargetResponse {
  const { status, body } = response;
  const fields = groupFields(response.headers);
  if (body === null || method.toUpperCase() === 'HEAD') {
    // Where it cannot be cancelled, somebody else reads it.
    body?.cancel().catch(() => undefined);
    return { status, fields, body: Readable.from([]) };
  }
  return { status, fields, body: Readable.fromWeb(body) };
}

async function passOn(stream: HostHttpStream, response: TargetResponse): Promise<Outcome> {
  const { body } = response;
  // A body that fails after nobody reads it any more has told everything.
  body.on('error', () => undefined);
  const giveUp = () => body.destroy();
  stream.signal.addEventListener('abort', giveUp);
  if (stream.signal.aborted) {
    giveUp();
  }
  const outcome = await sendResponse(stream, response);
  stream.signal.removeEventListener('abort', giveUp);
  body.destroy();
  return outcome;
}
