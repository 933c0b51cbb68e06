import type { ClientRequest } from 'node:http';
import type { Clock, HostHttpStream } from '@openchambery/tunnel';
import { sendResponse } from '../body/send-response.ts';
import { beginUpload, framingHeaders, sendUpload, type Upload } from '../body/upload.ts';
import { fieldsOfRaw } from '../headers/header-fields.ts';
import type { ConnectionChoice, OriginClient, OriginRequestHead } from '../origin/origin-client.ts';
import type { Outcome } from '../outcome.ts';
import { REFUSAL } from '../refusal.ts';
import { type AnswerWait, awaitAnswer } from './origin-answer.ts';

/** What a request needs on its way to the origin. */
export interface OriginParts {
  readonly client: OriginClient;
  readonly clock: Clock;
  /** See {@link awaitAnswer}. */
  readonly responseTimeoutMs: number;
}

/** One request at the origin; in rare cases it takes two attempts. */
interface Exchange extends OriginParts {
  readonly stream: HostHttpStream;
  readonly head: OriginRequestHead;
  readonly upload: Upload;
}

/** RFC 9110 section 9.2.2. */
const IDEMPOTENT = /^(?:get|head|options|trace|put|delete)$/i;

/**
 * Takes an admitted request to the origin, and the origin's answer to the Client. Rejects with a `StreamError` when the
 * stream breaks before its body has begun.
 */
export async function serveFromOrigin(
  stream: HostHttpStream,
  head: OriginRequestHead,
  parts: OriginParts,
): Promise<Outcome> {
  if (!(await parts.client.slots.take(stream.signal))) {
    return { kind: 'abandoned' };
  }
  try {
    const upload = await beginUpload(stream.body, head.method, parts.clock);
    const exchange = { ...parts, stream, head, upload };
    const first = await attempt(exchange, 'kept');
    const last = first === 'stale' && isRepeatable(exchange) ? await attempt(exchange, 'new') : first;
    return last === 'stale' ? { kind: 'refused', refusal: REFUSAL.badGateway } : last;
  } finally {
    parts.client.slots.giveBack();
  }
}

/** RFC 9110 section 9.2.2: whether a request may be sent again when a kept connection turns out to be closed. */
function isRepeatable({ head, upload }: Exchange): boolean {
  return upload.kind === 'empty' && IDEMPOTENT.test(head.method);
}

async function attempt(exchange: Exchange, connection: ConnectionChoice): Promise<Outcome | 'stale'> {
  const { stream, head, upload, client, clock, responseTimeoutMs } = exchange;
  if (stream.signal.aborted) {
    return { kind: 'abandoned' };
  }
  const headers = { ...head.headers, ...framingHeaders(upload, head.method) };
  const request = client.open({ ...head, headers }, connection);
  const wait = awaitAnswer(request, clock, responseTimeoutMs);
  const giveUp = () => request.destroy();
  stream.signal.addEventListener('abort', giveUp);
  // An upload ends early with the stream, which the signal tells, or with the request.
  sendUpload(upload, request, { body: stream.body, onProgress: () => wait.restartTimer() }).catch(giveUp);
  const outcome = await passOn(wait, exchange, request);
  stream.signal.removeEventListener('abort', giveUp);
  return stream.signal.aborted ? { kind: 'abandoned' } : outcome;
}

async function passOn(
  wait: AnswerWait,
  { stream, client }: Exchange,
  request: ClientRequest,
): Promise<Outcome | 'stale'> {
  const answer = await wait.answer;
  if (answer.kind === 'stale') {
    return 'stale';
  }
  if (answer.kind === 'failed') {
    return { kind: 'refused', refusal: answer.refusal };
  }
  const { response } = answer;
  const outcome = await sendResponse(
    stream,
    { status: response.statusCode ?? 0, fields: fieldsOfRaw(response.rawHeaders), body: response },
    client.origin.href,
  );
  if (!request.writableFinished || !response.complete) {
    // RFC 9112 section 9.5: an origin that has answered wants no more of the request.
    request.destroy();
    stream.body.discard();
  }
  return outcome;
}
