import type { PushPlatform } from './push-requests.ts';

/** What a token is for. */
export type TokenKind = 'device' | 'liveactivity';

/** A token that is bound to this Host at a push relay. */
export interface RegisteredToken {
  /** As the app gave it. A secret. */
  readonly token: string;
  readonly platform: PushPlatform;
  readonly kind: TokenKind;
  /** The send URL of the push relay that knows it. */
  readonly url: string;
}

/** Where a Host remembers its tokens, for as long as it wants them to outlive its process. */
export interface PushRegistry {
  /** Asked once, and again only after it has failed. What it rejects with goes to whoever made the request. */
  load(): readonly RegisteredToken[] | Promise<readonly RegisteredToken[]>;
  /** Called after each change, one call at a time. What it rejects with goes to whoever caused the change. */
  save(tokens: readonly RegisteredToken[]): void | Promise<void>;
}

/** Forgets with the process. */
export function createMemoryRegistry(): PushRegistry {
  let remembered: readonly RegisteredToken[] = [];
  return {
    load: () => remembered,
    save: (tokens) => {
      remembered = tokens;
    },
  };
}

/** Most tokens remembered; then the one registered longest ago is forgotten. */
export const MAX_REGISTERED_TOKENS = 1000;

/** The tokens of one push client, by the form in which relays compare them. */
export class TokenBook {
  readonly #registry: PushRegistry;
  readonly #tokens = new Map<string, RegisteredToken>();
  #loaded: Promise<void> | undefined;
  #lastSave: Promise<void> = Promise.resolve();
  #nextSave: Promise<void> | undefined;

  constructor(registry: PushRegistry) {
    this.#registry = registry;
  }

  /** Resolves when what was remembered is there; after a failure the next one who asks tries again. */
  ready(): Promise<void> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** Those that another push relay than the one at `url` knows, oldest first. */
  elsewhere(url: string): readonly RegisteredToken[] {
    return [...this.#tokens.values()].filter((known) => known.url !== url);
  }

  /** Remembers a registration; resolves when it is saved. */
  remember(registered: RegisteredToken): Promise<void> {
    const key = canonical(registered.token);
    // Taken out first, so that it becomes the youngest.
    this.#tokens.delete(key);
    this.#tokens.set(key, registered);
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= MAX_REGISTERED_TOKENS) break;
      this.#tokens.delete(oldest);
    }
    return this.#save();
  }

  /** Forgets tokens; resolves when that is saved. */
  forget(tokens: readonly string[]): Promise<void> {
    const gone = tokens.filter((token) => this.#tokens.delete(canonical(token)));
    return gone.length === 0 ? Promise.resolve() : this.#save();
  }

  async #load(): Promise<void> {
    const remembered = await this.#registry.load();
    for (const registered of remembered.slice(-MAX_REGISTERED_TOKENS)) {
      this.#tokens.set(canonical(registered.token), registered);
    }
  }

  /** One save at a time; changes that come while one is under way go into the next one together. */
  #save(): Promise<void> {
    this.#nextSave ??= this.#saveAfter(this.#lastSave);
    // A failed save is told to all who wait for it, and keeps nobody from the next one.
    this.#lastSave = this.#nextSave.catch(() => undefined);
    return this.#nextSave;
  }

  async #saveAfter(previous: Promise<void>): Promise<void> {
    await previous;
    this.#nextSave = undefined;
    await this.#registry.save([...this.#tokens.values()]);
  }
}

/** Relays compare tokens by this. */
function canonical(token: string): string {
  return token.toLowerCase();
}
