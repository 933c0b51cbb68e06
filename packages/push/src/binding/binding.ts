import type { Environment } from '../provider/push-provider.ts';

/** The platforms of the contract; which of them are served depends on the providers configured. */
export type Platform = 'ios' | 'android';

/** What a token was registered for; tokens taken over from an older database do not say. */
export type BindingKind = 'device' | 'liveactivity';

/** A device token and the one server that may push to it. */
export interface Binding {
  /** Lower-case hexadecimal for `ios`, as it was registered for `android`. */
  readonly token: string;
  readonly serverId: string;
  readonly platform: Platform;
  readonly kind: BindingKind | undefined;
  /** The environment that took a push which the one named by the server had refused; undefined until one has. */
  readonly environment: Environment | undefined;
  /** When it was last registered, ms since the epoch. Grows with every registration of the token. */
  readonly registeredAtMs: number;
  readonly updatedAtMs: number;
  /** Refusals that did not suffice as evidence, since the registration or the last push accepted. */
  readonly refusals: Refusals | undefined;
}

/** Evidence against a token. */
export interface Refusals {
  readonly count: number;
  /** ms since the epoch. */
  readonly firstAtMs: number;
}
