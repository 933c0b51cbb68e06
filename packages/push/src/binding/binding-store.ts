import type { Environment } from '../provider/push-provider.ts';
import type { Binding, BindingKind, Platform } from './binding.ts';
import type { ReplayMark, ReplayVerdict } from './replay-mark.ts';

/** A verified request to bind a token. */
export interface Registration {
  readonly mark: ReplayMark;
  /** In the form that a {@link Binding} has it. */
  readonly token: string;
  readonly platform: Platform;
  readonly kind: BindingKind;
}

/** A verified request to forget a token. */
export interface Unregistration {
  readonly mark: ReplayMark;
  /** In the form that a {@link Binding} has it. */
  readonly token: string;
}

/** A verdict that ends a request before it changes anything; a mark is kept of none of these. */
export type NotFresh = Exclude<ReplayVerdict, { kind: 'fresh' }>;

/** `token-limit`: a new token beyond the limit; the same text is answered so again. */
export type RegistrationResult = { readonly kind: 'bound' } | { readonly kind: 'token-limit' } | NotFresh;

/** `not-yours`: another server's token; the same text is answered so again. */
export type UnregistrationResult =
  | { readonly kind: 'removed' }
  | { readonly kind: 'unknown-token' }
  | { readonly kind: 'not-yours' }
  | NotFresh;

/**
 * What deliveries have shown about a binding. `binding` is as it was read: a change applies only while the token is
 * still bound to that server by that very registration.
 */
export type BindingChange =
  /** The environment took a push, as the server had said it would: evidence against the token is void. */
  | {
      readonly kind: 'accepted';
      readonly binding: Binding;
      readonly environment: Environment;
      readonly topic: string;
    }
  /** It did, after the one that was asked first did not know the token: the token's pushes go there from now on. */
  | {
      readonly kind: 'moved';
      readonly binding: Binding;
      readonly environment: Environment;
      readonly topic: string;
    }
  /** The token is dead, or of no use any more. */
  | { readonly kind: 'drop'; readonly binding: Binding }
  /** The token was refused, and that is not enough to drop it. */
  | { readonly kind: 'refused'; readonly binding: Binding };

/** How full a store is. */
export interface StoreCounts {
  readonly bindingCount: number;
  readonly replayMarkCount: number;
}

/**
 * Where bindings and replay marks live; SQLite is one such place. Every method is atomic, and what it resolved with
 * survives a crash of the process. All reject with {@link PushStoreError} when the store is out of order; then
 * nothing has changed.
 */
export interface BindingStore {
  /** Marks the request and binds the token to its server, whoever had it before. */
  register(registration: Registration): Promise<RegistrationResult>;
  /** Marks the request and forgets the token. */
  unregister(unregistration: Unregistration): Promise<UnregistrationResult>;
  /** Marks a request that changes no binding. */
  claim(mark: ReplayMark): Promise<ReplayVerdict>;
  /** Whether a text has been used, without marking it. */
  isMarked(mark: ReplayMark): Promise<boolean>;
  /** The bindings of a server among `tokens`, by token. */
  find(serverId: string, tokens: readonly string[]): Promise<ReadonlyMap<string, Binding>>;
  /** Applies what deliveries have shown, all or nothing. Gives the tokens that were dropped. */
  settle(changes: readonly BindingChange[]): Promise<ReadonlySet<string>>;
  /** When that environment last accepted a push for that topic, ms since the epoch, to the minute. */
  lastAcceptedAtMs(environment: Environment, topic: string): Promise<number | undefined>;
  counts(): StoreCounts;
  /** Writes what is left to write. Afterwards every other method rejects. */
  close(): Promise<void>;
}
