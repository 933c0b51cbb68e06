import type { Clock } from '@openchambery/daemon';
import type { Binding, Platform } from '../binding/binding.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type {
  ApnsNotification,
  Environment,
  Notification,
  PushKind,
  PushProvider,
  Service,
} from '../provider/push-provider.ts';
import type { SecondOpinion } from './second-opinion.ts';
import type { TokenHolds } from './token-holds.ts';

/** One push for several tokens of one server. */
export interface DeliveryJob {
  readonly serverId: string;
  /** SHA-256 of what the server has signed. */
  readonly textHash: Buffer;
  readonly kind: PushKind;
  /** What the server believes; a token that was accepted elsewhere goes there. Apple's alone have one. */
  readonly environment: Environment;
  /** The push in the form of each platform's service; phones of a platform without one get nothing. */
  readonly payloads: Payloads;
  readonly collapseId?: string | undefined;
  /** When the outcome has to be known, in ms of the monotonic clock. */
  readonly deadlineMs: number;
}

/** JSON by platform. */
export type Payloads = Readonly<Partial<Record<Platform, Buffer>>>;

/** Who carries pushes to the phones of each platform. */
export interface Providers {
  readonly ios: PushProvider<ApnsNotification, Environment>;
  /** Undefined when none is configured. */
  readonly android: PushProvider<Notification, 'fcm'> | undefined;
}

/** What a delivery needs. */
export interface DeliveryContext {
  readonly clock: Clock;
  readonly providers: Providers;
  readonly secondOpinion: SecondOpinion;
  readonly holds: TokenHolds;
  /** Hears of a provider that threw, which it must not. */
  readonly onProviderBug: (error: unknown) => void;
}

/** What became of one of Apple's tokens. */
export interface DeliveredByApple {
  readonly platform: 'ios';
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

/** What became of one of Android's tokens. */
export interface DeliveredByFcm {
  readonly platform: 'android';
  readonly binding: Binding;
  readonly outcome: PushOutcome;
}

/** What became of one token. */
export type Delivered = DeliveredByApple | DeliveredByFcm;

/** The service that the outcome came from. */
export function serviceOf(delivered: Delivered): Service {
  return delivered.platform === 'ios' ? delivered.environment : 'fcm';
}
