import type { Clock } from '@openchambery/daemon';
import type { Binding } from '../binding/binding.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import {
  type ApnsNotification,
  type Environment,
  otherThan,
  type PushKind,
  type PushProvider,
} from '../provider/push-provider.ts';
import { pushId } from './push-id.ts';
import type { SecondOpinion } from './second-opinion.ts';
import type { TokenHolds } from './token-holds.ts';

/** One push for several tokens of one server. */
export interface DeliveryJob {
  readonly serverId: string;
  /** SHA-256 of what the server has signed. */
  readonly textHash: Buffer;
  readonly kind: PushKind;
  /** What the server believes; a token that was accepted elsewhere goes there. */
  readonly environment: Environment;
  readonly payload: Buffer;
  readonly collapseId?: string | undefined;
  /** When the outcome has to be known, in ms of the monotonic clock. */
  readonly deadlineMs: number;
}

/** What a delivery needs. */
export interface DeliveryContext {
  readonly clock: Clock;
  readonly provider: PushProvider<ApnsNotification, Environment>;
  readonly secondOpinion: SecondOpinion;
  readonly holds: TokenHolds;
  /** Hears of a provider that threw, which it must not. */
  readonly onProviderBug: (error: unknown) => void;
}

/** What became of one token. */
export interface Delivered {
  readonly binding: Binding;
  /** The environment that was asked first. */
  readonly asked: Environment;
  /** The outcome that counts. */
  readonly outcome: PushOutcome;
  /** The environment that outcome came from. */
  readonly environment: Environment;
  /** Whether both environments were asked and neither knows the token. */
  readonly isRefusedByBoth: boolean;
}

/** Sends one push; when its environment does not know the token, the other one is asked, once. Never rejects. */
export async function deliverOne(
  binding: Binding,
  job: DeliveryJob,
  context: DeliveryContext,
): Promise<Delivered> {
  const asked = binding.environment ?? job.environment;
  const outcome = await send(binding.token, asked, { job, context });
  const only: Delivered = { binding, asked, outcome, environment: asked, isRefusedByBoth: false };
  if (outcome.kind !== 'mismatch') return only;
  const { secondOpinion } = context;
  if (!secondOpinion.mayAsk(job.serverId, binding.token)) return only;
  const other = otherThan(asked);
  const second = await send(binding.token, other, { job, context });
  secondOpinion.heard(binding.token, second);
  switch (second.kind) {
    case 'accepted':
    case 'dead':
      return { ...only, outcome: second, environment: other };
    case 'mismatch':
      return { ...only, isRefusedByBoth: true };
    case 'unknown':
      // It may have been delivered there; what the first one said is not the last word.
      return { ...only, outcome: second, environment: other };
    case 'later':
    case 'request-fault':
    case 'configuration-fault':
      return only;
  }
}

interface Sending {
  readonly job: DeliveryJob;
  readonly context: DeliveryContext;
}

async function send(
  token: string,
  environment: Environment,
  { job, context }: Sending,
): Promise<PushOutcome> {
  const { textHash, kind, payload, collapseId, deadlineMs } = job;
  if (context.clock.monotonicMs() >= deadlineMs) {
    return { kind: 'later', reason: 'no time left', retryAfterMs: undefined };
  }
  const holdId = `${environment} ${token}`;
  const retryAfterMs = context.holds.restMs(holdId);
  if (retryAfterMs > 0) return { kind: 'later', reason: 'held', retryAfterMs };
  const id = pushId(textHash, token);
  try {
    const notification = { id, token, environment, kind, payload, collapseId, deadlineMs };
    const outcome = await context.provider.send(notification);
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
