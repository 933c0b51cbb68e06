import type { KeyObject } from 'node:crypto';
import type { Clock, Logger } from '@openchambery/daemon';
import { SignJWT } from 'jose';
import type { Credential, Renewal } from '../gateway/credential.ts';

const MINUTE_MS = 60_000;
/** Apple refuses tokens older than an hour and wants no new one within 20 minutes: in between, at a point of our own. */
const EARLIEST_RENEWAL_MS = 40 * MINUTE_MS;
const RENEWAL_SPREAD_MS = 10 * MINUTE_MS;
/** From this age on a token is not used any more, even while a new one is being made. */
const MAX_AGE_MS = 59 * MINUTE_MS;
/** Least time between two renewals out of turn. */
const FLOOR_MS = 20 * MINUTE_MS;
/** How far the wall clock may go back before a token counts as issued in the future. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;
/** Rest after a signature that failed. */
const FAILURE_REST_MS = 1000;

/** A token and when it was made, by both clocks. */
interface Minted {
  readonly bearer: string;
  readonly epochMs: number;
  readonly monotonicMs: number;
}

/**
 * - none: not needed yet.
 * - minting: being signed; `usable` is what may be used meanwhile.
 * - ready: there it is.
 * - failed: could not be signed; tried again after a rest.
 */
type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'minting'; readonly usable: Minted | undefined }
  | { readonly kind: 'ready'; readonly token: Minted }
  | { readonly kind: 'failed'; readonly untilMs: number };

/** What a {@link ProviderToken} is made of. */
export interface ProviderTokenOptions {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** A token is there that was not there before: pushes that wait can go. */
  readonly onReady: () => void;
}

/**
 * The JWT (RFC 7519, ES256) that authorizes pushes in one environment: made once and reused, however many ask at once.
 * Apple, "Establishing a token-based connection to APNs".
 *
 * `iat` is wall-clock time, which can jump; age is the greater of what both clocks say, since the monotonic one stands
 * still while a machine sleeps.
 */
export class ProviderToken implements Credential {
  readonly #options: ProviderTokenOptions;
  readonly #renewAfterMs: number;
  #state: State = { kind: 'none' };
  #mintedCount = 0;
  #forcedAtMs: number | undefined;
  #clockRenewedAtMs: number | undefined;
  /** Apple has asked for no new token until then, monotonic. */
  #heldUntilMs = 0;

  constructor(options: ProviderTokenOptions) {
    this.#options = options;
    this.#renewAfterMs = EARLIEST_RENEWAL_MS + options.random() * RENEWAL_SPREAD_MS;
  }

  /** Tokens minted since start. */
  get mintedCount(): number {
    return this.#mintedCount;
  }

  /** A token that could not be signed will be in a moment. */
  get obstacle(): undefined {
    return undefined;
  }

  /** Value of `authorization`; undefined while there is none, then `onReady` follows. */
  bearer(): string | undefined {
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
        return this.#checkAge(state.token);
      case 'minting':
        return state.usable?.bearer;
      case 'failed':
        if (this.#options.clock.monotonicMs() < state.untilMs) return undefined;
        this.#mint(undefined);
        return undefined;
      case 'none':
        this.#mint(undefined);
        return undefined;
    }
  }

  /** Apple has refused `bearer` as expired or invalid. */
  refuse(bearer: string): Renewal {
    const state = this.#state;
    if (state.kind !== 'ready') {
      const usable = state.kind === 'minting' ? state.usable : undefined;
      // Refused while its successor is being made: the successor is what everybody waits for now.
      if (usable?.bearer === bearer) this.#state = { kind: 'minting', usable: undefined };
      return 'renewing';
    }
    if (state.token.bearer !== bearer) return 'renewed';
    const now = this.#options.clock.monotonicMs();
    if (now < this.#heldUntilMs) return 'exhausted';
    if (this.#forcedAtMs !== undefined && now - this.#forcedAtMs < FLOOR_MS) return 'exhausted';
    this.#forcedAtMs = now;
    this.#mint(undefined);
    return 'renewing';
  }

  /** Apple has seen too many tokens: the one there is stays for 20 minutes. */
  hold(): void {
    this.#heldUntilMs = this.#options.clock.monotonicMs() + FLOOR_MS;
  }

  /** A signature under way ends by itself. */
  close(): void {}

  #checkAge(token: Minted): string | undefined {
    const { clock } = this.#options;
    const now = clock.monotonicMs();
    const age = now - token.monotonicMs;
    const wallAge = clock.epochMs() - token.epochMs;
    if (age < this.#renewAfterMs && wallAge < this.#renewAfterMs && wallAge > -CLOCK_TOLERANCE_MS) {
      return token.bearer;
    }
    if (now < this.#heldUntilMs) return token.bearer;
    if (age >= this.#renewAfterMs) {
      const usable = age < MAX_AGE_MS ? token : undefined;
      this.#mint(usable);
      return usable?.bearer;
    }
    // The wall clock has jumped, or the machine has slept. A clock that goes to and fro must not mint a token each time.
    if (this.#clockRenewedAtMs !== undefined && now - this.#clockRenewedAtMs < FLOOR_MS) return token.bearer;
    this.#clockRenewedAtMs = now;
    this.#mint(undefined);
    return undefined;
  }

  #mint(usable: Minted | undefined): void {
    const { clock, key, keyId, teamId } = this.#options;
    const epochMs = clock.epochMs();
    const monotonicMs = clock.monotonicMs();
    this.#state = { kind: 'minting', usable };
    this.#mintedCount += 1;
    new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(epochMs / 1000))
      .sign(key)
      .then(
        (jwt) => this.#settle({ kind: 'ready', token: { bearer: `bearer ${jwt}`, epochMs, monotonicMs } }),
        (error: unknown) => this.#fail(error),
      );
  }

  #fail(error: unknown): void {
    // The key was checked at start: this is a bug, or a machine out of memory.
    const code = error instanceof Error ? error.name : 'unknown';
    this.#options.logger.error({ code }, 'the APNs provider token could not be signed');
    this.#settle({ kind: 'failed', untilMs: this.#options.clock.monotonicMs() + FAILURE_REST_MS });
  }

  #settle(state: State): void {
    this.#state = state;
    if (state.kind === 'ready') this.#options.onReady();
  }
}
