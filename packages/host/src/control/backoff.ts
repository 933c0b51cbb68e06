import type { Clock } from '@openchambery/tunnel';

/** The last step of the grid, which goes on for ever, in ms. */
const LAST_MS = 30_000;

/** How long to wait after each failure in a row, in ms. */
const GRID_MS: readonly number[] = [1000, 2000, 4000, 8000, 16_000, LAST_MS];

/** A wait is never shorter, so that a broken relay is not dialled in a tight loop. In ms. */
export const MIN_WAIT_MS = 100;

/** A wait after a refusal is never longer: the grid's last step and half of it. In ms. */
export const MAX_WAIT_MS: number = LAST_MS * 1.5;

/** How long a connection must have lived to count as a success, by how it ended, in ms. */
const LIVED_MS: Readonly<Record<Loss, number>> = { lost: 10_000, refused: 60_000 };

/** `lost`: the network or the relay went away; `refused`: the relay said no, and a second try soon would hear the same. */
export type Loss = 'lost' | 'refused';

type State =
  | { readonly phase: 'down'; readonly step: number }
  | { readonly phase: 'up'; readonly step: number; readonly sinceMs: number };

/** Where the waits of a {@link Backoff} get time and chance from. */
export interface BackoffOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

/**
 * How long a Host waits before it dials its relay again.
 *
 * Lost connections: anywhere between nothing and the grid's step ("full jitter"), since a relay that restarts loses all its
 * Hosts at once and must not get them back at once. Refusals: never sooner than the grid's step, up to half as much again;
 * two Hosts with one identity replace each other without end, so only a connection that lived starts the grid over.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #state: State = { phase: 'down', step: 0 };

  constructor({ clock, random }: BackoffOptions) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The connection stands. */
  connected(): void {
    this.#state = { phase: 'up', step: this.#state.step, sinceMs: this.#clock.monotonicMs() };
  }

  /** The connection ended, or none came about: how long to wait, in ms. */
  failed(loss: Loss): number {
    const step = this.#hasLived(loss) ? 0 : this.#state.step;
    this.#state = { phase: 'down', step: Math.min(step + 1, GRID_MS.length - 1) };
    const gridMs = GRID_MS[step] ?? LAST_MS;
    if (loss === 'refused') return gridMs * (1 + this.#random() / 2);
    return Math.max(MIN_WAIT_MS, gridMs * (1 - this.#random()));
  }

  #hasLived(loss: Loss): boolean {
    return this.#state.phase === 'up' && this.#clock.monotonicMs() - this.#state.sinceMs >= LIVED_MS[loss];
  }
}
