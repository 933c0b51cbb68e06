import type { Binding, Refusals } from '../binding/binding.ts';
import type { BindingChange } from '../binding/binding-store.ts';
import { otherThan } from '../provider/push-provider.ts';
import type { Delivered, DeliveredByApple, DeliveredByFcm } from './delivery-job.ts';
import { FCM_TOPIC, type ServiceHealth } from './service-health.ts';

/** Refusals that make a token dead where the other environment cannot be asked, … */
const CONCLUSIVE_REFUSALS = 3;
/** … and the time they have to span, in ms: a day. */
const CONCLUSIVE_SPAN_MS = 86_400_000;

/** What a judgement rests on. */
export interface Evidence {
  readonly health: Pick<ServiceHealth, 'isSuspected' | 'isTrusted'>;
  /** Under what name Apple files the push. */
  readonly topic: string;
  /** Now, ms since the epoch. */
  readonly nowMs: number;
  /** When the environment last took a push for this topic, ms since the epoch. */
  readonly lastAcceptedAtMs: number | undefined;
  /** Whether a push that is accepted is the token's last: the end of a Live Activity. */
  readonly isLast: boolean;
}

/** What a delivery changes about its binding, if anything. The only place where a token is declared dead. */
export function judge(delivered: Delivered, evidence: Evidence): BindingChange | undefined {
  return delivered.platform === 'ios' ? judgeApple(delivered, evidence) : judgeFcm(delivered, evidence);
}

function judgeApple(delivered: DeliveredByApple, evidence: Evidence): BindingChange | undefined {
  const { binding, asked, outcome, environment } = delivered;
  switch (outcome.kind) {
    case 'accepted': {
      if (evidence.isLast) return { kind: 'drop', binding };
      const kind = environment === asked ? 'accepted' : 'moved';
      return { kind, binding, environment, topic: evidence.topic };
    }
    case 'dead':
      return isOlderThan(binding, outcome.sinceMs) ? { kind: 'drop', binding } : undefined;
    case 'mismatch':
      return judgeMismatch(delivered, evidence);
    case 'request-fault':
    case 'configuration-fault':
    case 'later':
    case 'unknown':
      return undefined;
  }
}

/** What FCM accepts is no news: there is one service, and nothing is held against a token. */
function judgeFcm({ binding, outcome }: DeliveredByFcm, { health }: Evidence): BindingChange | undefined {
  switch (outcome.kind) {
    case 'dead':
      return isOlderThan(binding, outcome.sinceMs) ? { kind: 'drop', binding } : undefined;
    case 'mismatch':
      // A token of another project, or we have the key of another project: then nobody's push is accepted.
      return health.isTrusted('fcm', FCM_TOPIC) ? { kind: 'drop', binding } : undefined;
    case 'accepted':
    case 'request-fault':
    case 'configuration-fault':
    case 'later':
    case 'unknown':
      return undefined;
  }
}

/** A token that was registered after it died is alive again. */
function isOlderThan(binding: Binding, deadSinceMs: number | undefined): boolean {
  return deadSinceMs === undefined || binding.registeredAtMs <= deadSinceMs;
}

function judgeMismatch(
  { binding, asked, isRefusedByBoth }: DeliveredByApple,
  { health, topic, nowMs, lastAcceptedAtMs }: Evidence,
): BindingChange | undefined {
  // Whoever refuses everything says nothing about this token.
  if (health.isSuspected(asked, topic)) return undefined;
  if (isRefusedByBoth && health.isSuspected(otherThan(asked), topic)) return undefined;
  if (isRefusedByBoth || isConclusive(binding.refusals, nowMs, lastAcceptedAtMs)) {
    return { kind: 'drop', binding };
  }
  return { kind: 'refused', binding };
}

/** With this refusal: enough of them, over long enough, and meanwhile others were accepted. */
function isConclusive(
  refusals: Refusals | undefined,
  nowMs: number,
  lastAcceptedAtMs: number | undefined,
): boolean {
  if (refusals === undefined || lastAcceptedAtMs === undefined) return false;
  return (
    refusals.count + 1 >= CONCLUSIVE_REFUSALS &&
    nowMs - refusals.firstAtMs >= CONCLUSIVE_SPAN_MS &&
    lastAcceptedAtMs > refusals.firstAtMs
  );
}
