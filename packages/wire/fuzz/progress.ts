interface Wait {
  turnsLeft: number;
  readonly done: () => void;
}

/** The turns of a case, and whether anything still happens in it. */
export class Progress {
  turn = 0;
  /** Turns in a row in which nothing has moved and nobody waits for a turn to come. */
  idleTurns = 0;
  #moves = 0;
  #movesBefore = 0;
  readonly #waits = new Set<Wait>();

  /** Something moves in this turn. */
  note(): void {
    this.#moves++;
  }

  /** Calls back so many turns from now. */
  after(turns: number, done: () => void): void {
    if (turns === Number.POSITIVE_INFINITY) return;
    this.#waits.add({ turnsLeft: turns, done });
  }

  /** Lets the event loop turn once. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.turn++;
    const isIdle = this.#moves === this.#movesBefore && this.#waits.size === 0;
    this.idleTurns = isIdle ? this.idleTurns + 1 : 0;
    this.#movesBefore = this.#moves;
    for (const wait of this.#waits) {
      if (wait.turnsLeft-- > 0) continue;
      this.#waits.delete(wait);
      wait.done();
    }
  }
}
