/** Ids that were skipped and may still come; of more, those that were skipped longest ago count as used. */
const MAX_SKIPPED = 256;

/**
 * Which ids a Client has used, without remembering each: all up to the highest, but for a few that were skipped. Clients
 * count upwards, but what they send first need not be what they counted first.
 */
export class SeenStreams {
  readonly #skipped = new Set<number>();
  #highest = -1;

  /** Uses an odd id. @returns `false` when it was used before */
  use(streamId: number): boolean {
    if (streamId <= this.#highest) return this.#skipped.delete(streamId);
    for (let id = Math.max(this.#highest + 2, streamId - 2 * MAX_SKIPPED); id < streamId; id += 2) {
      this.#skipped.add(id);
    }
    this.#highest = streamId;
    for (const oldest of this.#skipped) {
      if (this.#skipped.size <= MAX_SKIPPED) break;
      this.#skipped.delete(oldest);
    }
    return true;
  }
}
