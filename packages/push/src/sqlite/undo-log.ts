/** How to take back, in memory, what a transaction has not committed yet. */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** How many steps there are to take back. */
  get length(): number {
    return this.#steps.length;
  }

  push(step: () => void): void {
    this.#steps.push(step);
  }

  /** Takes back everything since the log had that length, the last step first. */
  rollBackTo(length: number): void {
    while (this.#steps.length > length) this.#steps.pop()?.();
  }

  /** It has been committed: there is nothing to take back. */
  clear(): void {
    this.#steps.length = 0;
  }
}
