/** The pause before a worker that died is replaced, in ms; it doubles while workers keep dying. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** How long the next worker has to wait: longer each time, until one has run for a minute. */
export class RestartPause {
  #nextMs = MIN_PAUSE_MS;

  /** The pause after a worker that has served for `ranMs`, in ms. */
  after(ranMs: number): number {
    const pauseMs = ranMs >= MAX_PAUSE_MS ? MIN_PAUSE_MS : this.#nextMs;
    this.#nextMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    return pauseMs;
  }
}
