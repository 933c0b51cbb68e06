import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import type {
  ApnsNotification,
  Environment,
  Notification,
  ProviderSnapshot,
  PushProvider,
} from '../../src/provider/push-provider.ts';

/** What a push meets: an outcome, or something that finds one out. */
export type Reaction = PushOutcome | ((notification: ApnsNotification) => Promise<PushOutcome>);

/** What a push at FCM meets. */
export type FcmReaction = PushOutcome | ((notification: Notification) => Promise<PushOutcome>);

export const ACCEPTED: PushOutcome = { kind: 'accepted' };
export const MISMATCH: PushOutcome = { kind: 'mismatch', reason: 'BadDeviceToken' };
export const KEY_FAULT: PushOutcome = { kind: 'configuration-fault', reason: 'BadEnvironmentKeyIdInToken' };
export const LATER: PushOutcome = { kind: 'later', reason: 'TooManyRequests', retryAfterMs: undefined };
export const UNKNOWN: PushOutcome = { kind: 'unknown', reason: 'timeout' };
export const REQUEST_FAULT: PushOutcome = { kind: 'request-fault', reason: 'BadTopic' };

export function dead(sinceMs: number | undefined): PushOutcome {
  return { kind: 'dead', reason: 'Unregistered', sinceMs };
}

/** Accepts everything but what a test has other plans for. */
export class ScriptedProvider implements PushProvider<ApnsNotification, Environment> {
  /** Every push that was sent, in order. */
  readonly sent: ApnsNotification[] = [];
  readonly #reactions = new Map<string, Reaction>();

  /** From now on an environment answers so, about one token or, without one, about every other. */
  script(environment: Environment, reaction: Reaction, token = '*'): void {
    this.#reactions.set(`${environment} ${token}`, reaction);
  }

  /** Both environments answer so. */
  scriptBoth(reaction: Reaction, token = '*'): void {
    this.script('production', reaction, token);
    this.script('sandbox', reaction, token);
  }

  /** Where a token was sent to, in order. */
  asked(token: string): readonly Environment[] {
    return this.sent.filter((each) => each.token === token).map(({ environment }) => environment);
  }

  send(notification: ApnsNotification): Promise<PushOutcome> {
    this.sent.push(notification);
    const { environment, token } = notification;
    const reaction =
      this.#reactions.get(`${environment} ${token}`) ?? this.#reactions.get(`${environment} *`) ?? ACCEPTED;
    return typeof reaction === 'function' ? reaction(notification) : Promise.resolve(reaction);
  }

  snapshot(): Readonly<Record<Environment, ProviderSnapshot>> {
    throw new Error('a script has no sessions to tell of');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** FCM that accepts everything but what a test has other plans for. */
export class ScriptedFcm implements PushProvider<Notification, 'fcm'> {
  /** Every push that was sent, in order. */
  readonly sent: Notification[] = [];
  readonly #reactions = new Map<string, FcmReaction>();

  /** From now on FCM answers so, about one token or, without one, about every other. */
  script(reaction: FcmReaction, token = '*'): void {
    this.#reactions.set(token, reaction);
  }

  send(notification: Notification): Promise<PushOutcome> {
    this.sent.push(notification);
    const reaction = this.#reactions.get(notification.token) ?? this.#reactions.get('*') ?? ACCEPTED;
    return typeof reaction === 'function' ? reaction(notification) : Promise.resolve(reaction);
  }

  snapshot(): Readonly<Record<'fcm', ProviderSnapshot>> {
    throw new Error('a script has no sessions to tell of');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
