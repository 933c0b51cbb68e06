import type { Clock, Timer } from '@openchambery/tunnel';
import type { PairingStore } from './pairing-store.ts';

/** How exact `lastUsedAt` is, in ms: the file is not written more often for it. */
const PRECISION_MS = 60_000;

/** What a recorder needs, and whom it tells. */
export interface UseRecorderOptions {
  readonly store: Pick<PairingStore, 'update'>;
  readonly clock: Clock;
  /** The file could not be written: nothing stops for it. */
  onFault(error: unknown): void;
}

/** Writes down when pairings were last used, at most once a minute. */
export class UseRecorder {
  readonly #options: UseRecorderOptions;
  /** When each was last used, as far as it is not in the file yet; at most as many as there are pairings. */
  #pending = new Map<string, number>();
  /** Runs for a minute after each writing. */
  #pause: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UseRecorderOptions) {
    this.#options = options;
  }

  /** A pairing is used now. */
  record(id: string): void {
    this.#pending.set(id, this.#options.clock.epochMs());
    if (this.#pause !== undefined) return;
    this.#write();
    this.#rest();
  }

  /** Writes what is left; to be awaited before the process ends. */
  async stop(): Promise<void> {
    this.#pause?.cancel();
    this.#pause = undefined;
    this.#write();
    await this.#writing;
  }

  #rest(): void {
    this.#pause = this.#options.clock.setTimer(() => {
      this.#pause = undefined;
      if (this.#pending.size === 0) return;
      this.#write();
      this.#rest();
    }, PRECISION_MS);
  }

  #write(): void {
    const used = this.#pending;
    this.#pending = new Map();
    if (used.size > 0) this.#writing = this.#writing.then(() => this.#save(used));
  }

  async #save(used: ReadonlyMap<string, number>): Promise<void> {
    try {
      await this.#options.store.update((pairings) => {
        // What was revoked meanwhile stays so.
        if (!pairings.live.some(({ id }) => used.has(id))) return pairings;
        const live = pairings.live.map((pairing) => ({
          ...pairing,
          lastUsedAt: used.get(pairing.id) ?? pairing.lastUsedAt,
        }));
        return { ...pairings, live };
      });
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
