import type { ClientStatus } from '../relay-client.ts';

type Listener = (status: ClientStatus) => void;

/** Who wants to hear of each change of the status. */
export class StatusListeners {
  readonly #listeners = new Set<{ readonly listener: Listener }>();
  #told = 0;

  /** @returns what takes the listener away again. */
  add(listener: Listener): () => void {
    // Wrapped, so that one function given twice is two listeners.
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** A listener that throws disturbs nobody else: its error is thrown where the platform reports uncaught ones. */
  tell(status: ClientStatus): void {
    this.#told += 1;
    const number = this.#told;
    for (const { listener } of this.#listeners) {
      // A listener changed the status, and all have heard of that: this one is old.
      if (number !== this.#told) return;
      try {
        listener(status);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
