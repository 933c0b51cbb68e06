import type { Context, Handler } from 'hono';
import type { VerifiedRequest } from '../auth/authenticate.ts';
import type { ReplayMark, ReplayVerdict } from '../binding/replay-mark.ts';
import { deliver, type Delivery } from '../deliver/deliver.ts';
import type { PushKind } from '../provider/push-provider.ts';
import type { PushContext } from '../push-context.ts';
import type { LiveActivityContent } from '../request/parse-live-activity.ts';
import type { RegistrationContent } from '../request/parse-registration.ts';
import type { SendContent } from '../request/parse-send.ts';
import type { Refusal } from '../request/refusal.ts';
import { type Route, ROUTES } from '../request/route.ts';
import { answer, refuse } from './answer.ts';
import type { WithVerified } from './variables.ts';

/** A delivery is over after this long, in ms. */
const DELIVERY_MS = 5000;
/** Tokens leave seldom: nobody knows when the next place is free. */
const TOKEN_LIMIT_RETRY_MS = 3_600_000;
const REPLAY: Refusal = { refusal: 'replay', detail: 'replay: this text has been used' };

type SignedHandler<Content> = Handler<WithVerified<Content>>;

/** Binds a token to the server that signed. */
export function register(context: PushContext, route: Route): SignedHandler<RegistrationContent> {
  return async (c) => {
    const verified = c.get('verified');
    const mark = markOf(verified, route, c.get('ip'));
    const result = await context.store.register({ mark, ...verified.content });
    switch (result.kind) {
      case 'bound':
      // Said before, and nothing changes: an old registration that was overheard cannot take a token back.
      case 'repeat':
        return answer(c, { ok: true });
      case 'token-limit': {
        const detail = `limit: MAX_TOKENS (${context.limits.maxTokens}) reached`;
        const refusal = { refusal: 'token_limit', detail, retryAfterMs: TOKEN_LIMIT_RETRY_MS } as const;
        return refuseSigned(c, context, refusal);
      }
      case 'replay':
      case 'full':
        return refuseSigned(c, context, refusalOf(result, context));
    }
  };
}

/** Forgets a token. */
export function unregister(context: PushContext, route: Route): SignedHandler<RegistrationContent> {
  return async (c) => {
    const verified = c.get('verified');
    const mark = markOf(verified, route, c.get('ip'));
    const result = await context.store.unregister({ mark, token: verified.content.token });
    switch (result.kind) {
      case 'removed':
      case 'unknown-token':
      case 'repeat':
        return answer(c, { ok: true });
      case 'not-yours':
        return refuseSigned(c, context, {
          refusal: 'invalid_signature',
          detail: 'token: bound to another server',
        });
      case 'replay':
      case 'full':
        return refuseSigned(c, context, refusalOf(result, context));
    }
  };
}

/** Sends an alert. */
export function send(context: PushContext): SignedHandler<SendContent> {
  return async (c) => {
    const verified = c.get('verified');
    const { tokens, ...job } = verified.content;
    const mark = markOf(verified, ROUTES.send, c.get('ip'));
    const delivery = prepare('alert', { verified, context, job: { ...job, tokens }, isLast: false });
    return carryOut(c, context, { mark, delivery });
  };
}

/** Changes or ends a Live Activity; a token is of no use after its end. */
export function liveActivity(context: PushContext): SignedHandler<LiveActivityContent> {
  return async (c) => {
    const verified = c.get('verified');
    const { event, ...job } = verified.content;
    const mark = markOf(verified, ROUTES.liveActivity, c.get('ip'));
    const delivery = prepare('liveactivity', { verified, context, job, isLast: event === 'end' });
    return carryOut(c, context, { mark, delivery });
  };
}

interface Preparation {
  readonly verified: VerifiedRequest<unknown>;
  readonly context: PushContext;
  readonly job: Pick<Delivery, 'tokens'> & Pick<Delivery['job'], 'environment' | 'payloads' | 'collapseId'>;
  readonly isLast: boolean;
}

function prepare(kind: PushKind, { verified, context, job, isLast }: Preparation): Delivery {
  const { tokens, ...rest } = job;
  const { serverId, textHash } = verified;
  const deadlineMs = context.clock.monotonicMs() + DELIVERY_MS;
  return {
    job: { serverId, textHash, kind, deadlineMs, ...rest },
    tokens,
    topic: context.topics[kind],
    isLast,
  };
}

interface SignedDelivery {
  readonly mark: ReplayMark;
  readonly delivery: Delivery;
}

async function carryOut<Content>(
  c: Context<WithVerified<Content>>,
  context: PushContext,
  { mark, delivery }: SignedDelivery,
): Promise<Response> {
  const refusal = await admitSend(mark, context);
  if (refusal !== undefined) return refuseSigned(c, context, refusal);
  return answer(c, { results: await deliver(delivery, context.courier) });
}

/**
 * A send takes a place in its server's minute and marks its text. Whoever repeats what was overheard gets neither a
 * place nor another answer than `replay`.
 */
async function admitSend(mark: ReplayMark, context: PushContext): Promise<Refusal | undefined> {
  const { store, sendsByServer, limits } = context;
  const permit = sendsByServer.take(mark.serverId);
  if (!permit.ok) {
    if (await store.isMarked(mark)) return REPLAY;
    const detail = `limit: SERVER_SEND_LIMIT_PER_MINUTE (${limits.serverSendLimitPerMinute}) reached`;
    return { refusal: 'rate_limited', detail, retryAfterMs: permit.retryAfterMs };
  }
  let verdict: ReplayVerdict;
  try {
    verdict = await store.claim(mark);
  } catch (error) {
    permit.giveBack();
    throw error;
  }
  if (verdict.kind === 'fresh') return undefined;
  permit.giveBack();
  return verdict.kind === 'full' ? refusalOf(verdict, context) : REPLAY;
}

function refusalOf(
  verdict: Extract<ReplayVerdict, { kind: 'replay' | 'full' }>,
  { limits }: PushContext,
): Refusal {
  if (verdict.kind === 'replay') return REPLAY;
  const detail = `limit: MAX_REPLAY_ENTRIES (${limits.maxReplayEntries}) reached`;
  return { refusal: 'rate_limited', detail, retryAfterMs: verdict.retryAfterMs };
}

function markOf({ serverId, textHash, ts }: VerifiedRequest<unknown>, route: Route, ip: string): ReplayMark {
  return { serverId, textHash, route, ts, ip };
}

function refuseSigned<Content>(
  c: Context<WithVerified<Content>>,
  { report }: PushContext,
  refusal: Refusal,
): Response {
  report.refused(refusal, { ip: c.get('ip'), serverId: c.get('verified').serverId });
  return refuse(c, refusal);
}
