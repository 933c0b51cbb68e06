import type { Binding } from '../binding/binding.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import { type Environment, otherThan } from '../provider/push-provider.ts';
import { attempt } from './attempt.ts';
import type {
  Delivered,
  DeliveredByApple,
  DeliveredByFcm,
  DeliveryContext,
  DeliveryJob,
} from './delivery-job.ts';

/** Carries one push to the service of the token's platform. Never rejects. */
export function deliverOne(binding: Binding, job: DeliveryJob, context: DeliveryContext): Promise<Delivered> {
  switch (binding.platform) {
    case 'ios':
      return deliverByApple(binding, job, context);
    case 'android':
      return deliverByFcm(binding, job, context);
  }
}

/** When its environment does not know the token, the other one is asked, once. */
async function deliverByApple(
  binding: Binding,
  job: DeliveryJob,
  context: DeliveryContext,
): Promise<DeliveredByApple> {
  const { token } = binding;
  const ask = (environment: Environment): Promise<PushOutcome> =>
    attempt({ token, service: environment, platform: 'ios', job }, context, (push) =>
      context.providers.ios.send({ ...push, environment }),
    );
  const asked = binding.environment ?? job.environment;
  const outcome = await ask(asked);
  const only = {
    platform: 'ios',
    binding,
    asked,
    outcome,
    environment: asked,
    isRefusedByBoth: false,
  } as const;
  if (outcome.kind !== 'mismatch') return only;
  const { secondOpinion } = context;
  if (!secondOpinion.mayAsk(job.serverId, token)) return only;
  const other = otherThan(asked);
  const second = await ask(other);
  secondOpinion.heard(token, second);
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

async function deliverByFcm(
  binding: Binding,
  job: DeliveryJob,
  context: DeliveryContext,
): Promise<DeliveredByFcm> {
  const { android } = context.providers;
  const outcome: PushOutcome =
    android === undefined
      ? { kind: 'configuration-fault', reason: 'no-provider' }
      : await attempt({ token: binding.token, service: 'fcm', platform: 'android', job }, context, (push) =>
          android.send(push),
        );
  return { platform: 'android', binding, outcome };
}
