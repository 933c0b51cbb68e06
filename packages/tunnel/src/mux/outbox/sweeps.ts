/** Fewer drops than this are not worth a look. */
const MIN_DROPS = 64;

/** A lane may have a place in the order, and one among those that wait for room. */
const PLACES = 2;

/**
 * Says when lists are to be looked through for lanes that were dropped in them: often enough that such lanes are never many more
 * than those that are alive, and so seldom that it costs O(1) for each drop. Without it, streams that come and go while
 * nothing can be sent would leave their lanes behind.
 */
export class Sweeps {
  #drops = 0;

  /** A lane was dropped. @param listed places in both lists @returns whether to look now */
  isDueAfterDrop(listed: number): boolean {
    this.#drops += 1;
    if (this.#drops < MIN_DROPS || this.#drops * PLACES * 2 < listed) return false;
    this.#drops = 0;
    return true;
  }
}
