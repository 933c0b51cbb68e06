import type { Readable } from 'node:stream';
import type { HostHttpStream } from '@openchambery/tunnel';
import type { HeaderFields } from '../headers/header-fields.ts';
import { formatResponseHeaders, urgencyOf } from '../headers/response-headers.ts';
import type { Outcome } from '../outcome.ts';
import { REFUSAL } from '../refusal.ts';
import { decodeBody, parseCodings } from './content-decoding.ts';
import { sendBody } from './send-body.ts';

/** An answer, wherever it comes from. */
export interface TargetResponse {
  readonly status: number;
  readonly fields: HeaderFields;
  readonly body: Readable;
}

/** Passes an answer on: its head as soon as there is one, its body as it comes. The body is left to its owner to destroy. */
export async function sendResponse(
  stream: HostHttpStream,
  { status, fields, body }: TargetResponse,
  ownOrigin?: string,
): Promise<Outcome> {
  if (status < 200 || status > 599) {
    return { kind: 'refused', refusal: REFUSAL.badGateway };
  }
  // RFC 9112 section 6.3: these have no body, whatever their headers say of one.
  const hasNoBody = stream.request.method.toUpperCase() === 'HEAD' || status === 204 || status === 304;
  const codings = hasNoBody ? [] : parseCodings(fields.get('content-encoding') ?? []);
  // A part of something compressed (RFC 9110 section 15.3.7) cannot be unpacked.
  if (codings === undefined || (status === 206 && codings.length > 0)) {
    return { kind: 'refused', refusal: REFUSAL.undecodable };
  }
  const headers = formatResponseHeaders(fields, ownOrigin);
  const output = stream.respond({ status, headers }, urgencyOf(fields));
  if (output === undefined) {
    return { kind: 'refused', refusal: REFUSAL.responseHeadersTooLarge };
  }
  try {
    // Without a wait in between, what has come of a body goes with the head.
    await sendBody(codings.length === 0 ? body : await decodeBody(body, codings), output);
  } catch {
    return { kind: 'broken-off' };
  }
  return { kind: 'answered' };
}
