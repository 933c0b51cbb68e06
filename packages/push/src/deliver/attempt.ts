import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Service } from '../provider/push-provider.ts';
import type { DeliveryContext, DeliveryJob, Payloads } from './delivery-job.ts';
import { pushId } from './push-id.ts';

/** One push at one service. */
export interface Attempt {
  readonly token: string;
  readonly service: Service;
  readonly platform: keyof Payloads;
  readonly job: DeliveryJob;
}

/** What every service is told. */
interface Told extends Pick<DeliveryJob, 'kind' | 'collapseId' | 'deadlineMs'> {
  readonly id: string;
  readonly token: string;
  readonly payload: Buffer;
}

/** Sends one push to one service, unless its time is up or the service wants the token left alone. Never rejects. */
export async function attempt(
  { token, service, platform, job }: Attempt,
  context: DeliveryContext,
  send: (push: Told) => Promise<PushOutcome>,
): Promise<PushOutcome> {
  const { textHash, kind, collapseId, deadlineMs } = job;
  const payload = job.payloads[platform];
  if (payload === undefined) return { kind: 'request-fault', reason: 'no-payload' };
  if (context.clock.monotonicMs() >= deadlineMs) {
    return { kind: 'later', reason: 'no time left', retryAfterMs: undefined };
  }
  const holdId = `${service} ${token}`;
  const retryAfterMs = context.holds.restMs(holdId);
  if (retryAfterMs > 0) return { kind: 'later', reason: 'held', retryAfterMs };
  try {
    const outcome = await send({ id: pushId(textHash, token), token, kind, payload, collapseId, deadlineMs });
    if (outcome.kind === 'later' && outcome.retryAfterMs !== undefined) {
      context.holds.hold(holdId, outcome.retryAfterMs);
    }
    return outcome;
  } catch (error) {
    // A bug, met by one token: the others of the request must not pay for it.
    context.onProviderBug(error);
    return { kind: 'unknown', reason: 'provider error' };
  }
}
