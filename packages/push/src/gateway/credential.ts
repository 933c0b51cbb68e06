import type { PushOutcome } from '../provider/push-outcome.ts';

/**
 * What becomes of a push that was refused with an old or invalid bearer: there is a newer one (`renewed`), there will be
 * in a moment (`renewing`), or it may not be renewed now (`exhausted`).
 */
export type Renewal = 'renewed' | 'renewing' | 'exhausted';

/** Who waits for a credential: a gateway. */
export interface CredentialOwner {
  /** A bearer is there that was not there before: pushes that wait can go. */
  readonly onReady: () => void;
  /** There will be none for now: pushes that wait get this outcome. */
  readonly onFailed: (outcome: PushOutcome) => void;
}

/** What authorizes pushes at one service: made once, used by all, renewed in time. */
export interface Credential {
  /** Bearers made or fetched since start. */
  readonly mintedCount: number;
  /** What becomes of a push while no bearer can be had; undefined while there is one or one is on its way. */
  readonly obstacle: PushOutcome | undefined;
  /** Value of `authorization`; undefined while there is none, then `onReady` or `onFailed` follows. */
  bearer(): string | undefined;
  /** The service has refused `bearer` as old or invalid. */
  refuse(bearer: string): Renewal;
  /** The service has seen too many bearers. */
  hold(): void;
  /** Ends what is under way. */
  close(): void;
}
