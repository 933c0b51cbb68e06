import type { PushOutcome } from './push-outcome.ts';

/** Where an app was installed from decides which of a platform's two services knows its tokens. */
export type Environment = 'production' | 'sandbox';

/** Both environments. */
export const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** The other of the two. */
export function otherThan(environment: Environment): Environment {
  return environment === 'production' ? 'sandbox' : 'production';
}

/** What a push is on the phone. */
export type PushKind = 'alert' | 'liveactivity';

/** Every service that pushes go to; what one says of a token says nothing about the others. */
export type Service = Environment | 'fcm';

/** All services. */
export const SERVICES: readonly Service[] = [...ENVIRONMENTS, 'fcm'];

/** One push for one phone, ready to go. */
export interface Notification {
  /** A UUID (RFC 9562), lower case: the same whenever the same push for the same token is sent again. */
  readonly id: string;
  /** As the service knows it. */
  readonly token: string;
  readonly kind: PushKind;
  /** JSON in the service's own form. */
  readonly payload: Buffer;
  /** 1 to 64 bytes of printable ASCII. */
  readonly collapseId?: string | undefined;
  /** When the outcome has to be known, in ms of the clock's monotonic time. */
  readonly deadlineMs: number;
}

/** One push for one of Apple's phones; its token is lower-case hexadecimal, its payload has 4096 bytes at most. */
export interface ApnsNotification extends Notification {
  readonly environment: Environment;
}

/** A service that wakes phones, or several of one kind: APNs is one, FCM is another. */
export interface PushProvider<Push extends Notification, Name extends Service> {
  /**
   * Sends one push. Never rejects, and resolves shortly after `deadlineMs` at the latest. Concurrency is the
   * caller's affair; what the service itself allows at once is the provider's.
   */
  send(notification: Push): Promise<PushOutcome>;
  /** How each service fares now. */
  snapshot(): Readonly<Record<Name, ProviderSnapshot>>;
  /** Ends every connection. What is still under way ends as `unknown`. */
  close(): Promise<void>;
}

/** One service, in numbers. Totals since start. */
export interface ProviderSnapshot {
  /** `failing` from a configuration fault until the next push that is accepted. */
  readonly state: 'idle' | 'working' | 'failing';
  /** What is wrong with the configuration, in words, while `failing`. */
  readonly fault: string | undefined;
  /** Open connections, those that drain included. */
  readonly sessionCount: number;
  /** Requests on them now. */
  readonly streamCount: number;
  /** Pushes that wait for room on a connection. */
  readonly waitingCount: number;
  readonly sessionsOpenedCount: number;
  /** Credentials minted or fetched. */
  readonly mintedCount: number;
  readonly resentCount: number;
  readonly outcomeCounts: Readonly<Record<PushOutcome['kind'], number>>;
}
