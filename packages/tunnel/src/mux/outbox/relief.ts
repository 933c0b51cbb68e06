import { Fifo } from '../fifo.ts';
import type { Lane } from './lane.ts';

/** What a lane is expected to add once it is told that there is room, in bytes. */
const GRANT_BYTES = 64 * 1024;

/** Lanes that wait for room: told in the order they came, and no more of them at a time than there is room for. */
export class Relief {
  readonly #hungry = new Fifo<Lane>();

  get size(): number {
    return this.#hungry.size;
  }

  /** Takes lanes out that nobody will ever add to. */
  sweep(): void {
    this.#hungry.retain((lane) => !lane.isSpent);
  }

  /** A lane is blocked, and it is not its own load that blocks it. */
  add(lane: Lane): void {
    this.#hungry.push(lane);
  }

  /** Tells lanes that there is room. @param room bytes; `Infinity` tells all */
  give(room: number): void {
    // A lane that is told may come again at once: only those that are here now have their turn.
    let turns = this.#hungry.size;
    for (let left = room; left > 0 && turns > 0; turns -= 1) {
      if (this.#hungry.shift()?.relieve() === true) left -= GRANT_BYTES;
    }
  }
}
