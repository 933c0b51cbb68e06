import type { Clock } from '@openchambery/daemon';
import { SlidingWindow } from '../limits/sliding-window.ts';

const MINUTE_MS = 60_000;
/** Tokens that FCM may be asked about in a minute. */
const PROBES_PER_MINUTE = 100;
/** What was found out about a token is not asked again for this long, in ms. */
const REMEMBERED_MS = 3_600_000;
/** Tokens of which it is kept in mind. */
const MAX_REMEMBERED = 10_000;

/** What FCM has found out to be at fault: the token itself, or what was pushed to it. */
export type Culprit = 'token' | 'request';

/**
 * Whether it is the token or the push that FCM finds wrong. Whoever registers made-up tokens must not double our
 * traffic: hence a budget, and answers are remembered.
 */
export class TokenDoubts {
  readonly #budget: SlidingWindow;
  readonly #found: Readonly<Record<Culprit, SlidingWindow>>;

  constructor(clock: Clock) {
    this.#budget = new SlidingWindow({ clock, windowMs: MINUTE_MS, max: PROBES_PER_MINUTE, maxKeys: 1 });
    const remember = (): SlidingWindow =>
      new SlidingWindow({ clock, windowMs: REMEMBERED_MS, max: 1, maxKeys: MAX_REMEMBERED });
    this.#found = { token: remember(), request: remember() };
  }

  /** What was found out about a token within the hour. */
  known(token: string): Culprit | undefined {
    if (this.#found.token.isFull(token)) return 'token';
    return this.#found.request.isFull(token) ? 'request' : undefined;
  }

  /** Whether to ask; counts it when so. */
  mayAsk(): boolean {
    return this.#budget.take('').ok;
  }

  remember(token: string, culprit: Culprit): void {
    this.#found[culprit].take(token);
  }
}
