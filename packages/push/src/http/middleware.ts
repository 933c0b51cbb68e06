import { clientIp, toVariableName } from '@openchambery/daemon';
import type { ErrorHandler, MiddlewareHandler } from 'hono';
import { authenticate } from '../auth/authenticate.ts';
import type { SlidingWindow } from '../limits/sliding-window.ts';
import type { PushLimitName } from '../options/limits.ts';
import type { PushContext } from '../push-context.ts';
import type { SignedRequest } from '../request/envelope.ts';
import { parseJson } from '../request/parse-body.ts';
import { isRefusal, type Refusal } from '../request/refusal.ts';
import { refuse } from './answer.ts';
import type { PushRequest } from './push-request.ts';
import type { PushBindings, WithIp, WithVerified } from './variables.ts';

const MAX_BODY_BYTES = 16_384;

/** Tells the report of every request and of its answer. */
export function countRequest({ report }: PushContext): MiddlewareHandler<PushBindings> {
  return async (c, next) => {
    await next();
    report.answered(c.req.path, c.res.status);
  };
}

/** A bug or a store out of order: the caller hears `internal`, the log hears more. */
export function answerFault({ report }: PushContext): ErrorHandler<PushBindings> {
  return (error, c) => {
    report.failed(error);
    return refuse(c, { refusal: 'internal', detail: '' });
  };
}

/** From the beginning of a shutdown nothing new is taken on. */
export function refuseWhileDraining({ isDraining }: PushContext): MiddlewareHandler<PushBindings> {
  return (c, next) => {
    if (!isDraining()) return next();
    return Promise.resolve(refuse(c, { refusal: 'shutting_down', detail: '' }));
  };
}

/** One limit of an IP, and where it is counted. */
interface IpLimit {
  readonly window: SlidingWindow;
  readonly limit: PushLimitName;
}

/** Counts a request against its IP, before a byte of its body is read. */
export function limitByIp(context: PushContext, { window, limit }: IpLimit): MiddlewareHandler<WithIp> {
  const { limits, trustProxy, report } = context;
  return (c, next) => {
    const { peerAddress, forwardedFor } = c.env.push;
    const ip = clientIp({ peerAddress, forwardedFor, trustProxy });
    c.set('ip', ip);
    const permit = window.take(ip);
    if (permit.ok) return next();
    const refusal: Refusal = {
      refusal: 'rate_limited',
      detail: `limit: ${toVariableName(limit)} (${limits[limit]}) reached`,
      retryAfterMs: permit.retryAfterMs,
    };
    report.refused(refusal, { ip });
    return Promise.resolve(refuse(c, refusal));
  };
}

/** Reads the body, takes it apart and finds out who signed it. */
export function readSigned<Content>(
  context: PushContext,
  parse: (json: unknown) => SignedRequest<Content> | Refusal,
): MiddlewareHandler<WithVerified<Content>> {
  const authentication = { ...context, timestampSkewMs: context.limits.timestampSkewMs };
  return async (c, next) => {
    const json = await readJson(c.env.push);
    // A body may take its time, and what begins now would be cut short.
    if (context.isDraining()) return refuse(c, { refusal: 'shutting_down', detail: '' });
    const signed = isRefusal(json) ? json : parse(json.json);
    const verified = isRefusal(signed) ? signed : authenticate(signed, authentication);
    if (isRefusal(verified)) {
      context.report.refused(verified, { ip: c.get('ip') });
      return refuse(c, verified);
    }
    c.set('verified', verified);
    return next();
  };
}

async function readJson(request: PushRequest): Promise<{ readonly json: unknown } | Refusal> {
  const body = await request.readBody(MAX_BODY_BYTES);
  if (body === 'too-large') {
    return { refusal: 'payload_too_large', detail: `body: more than ${MAX_BODY_BYTES} bytes` };
  }
  // Nobody is there to read the answer.
  if (body === 'aborted') return { refusal: 'invalid_request', detail: 'body: incomplete' };
  return parseJson(body);
}
