import { ACCEPTED } from './reaction.ts';
import type { Reaction } from './reaction.ts';

/** Which reaction comes next: once for anybody, then the token's own, then everybody's, then 200. */
export class ReactionScript {
  readonly #once: Reaction[] = [];
  readonly #byToken = new Map<string, Reaction[]>();
  #all: Reaction | undefined;

  /** `reactions` for requests to `token`, in order; the last one stays. None: forgets what was scripted for it. */
  script(token: string, reactions: readonly Reaction[]): void {
    if (reactions.length === 0) this.#byToken.delete(token.toLowerCase());
    else this.#byToken.set(token.toLowerCase(), [...reactions]);
  }

  scriptAll(reaction: Reaction | undefined): void {
    this.#all = reaction;
  }

  scriptOnce(reaction: Reaction): void {
    this.#once.push(reaction);
  }

  /** Forgets everything. */
  reset(): void {
    this.#once.length = 0;
    this.#byToken.clear();
    this.#all = undefined;
  }

  next(token: string): Reaction {
    if (this.#once.length > 0) return this.#once.shift() ?? ACCEPTED;
    const own = this.#byToken.size === 0 ? undefined : this.#byToken.get(token.toLowerCase());
    if (own === undefined) return this.#all ?? ACCEPTED;
    return (own.length > 1 ? own.shift() : own[0]) ?? ACCEPTED;
  }
}
