import type { Clock } from '@openchambery/tunnel';
import { codeOf, describeValue } from '../cli/describe-value.ts';
import { UsageError } from '../cli/usage-error.ts';
import { takeLock } from '../state/lock-file.ts';
import type { HeldLock } from '../state/lock-file.ts';
import { readPrivateFile, replaceFile } from '../state/private-file.ts';
import type { ExposureFiles } from '../state/state-folder.ts';
import { formatPairings, parsePairings } from './pairs-text.ts';
import type { Pairings } from './pairing.ts';

/** How long a command waits for another one that is changing the same file, in ms. */
const LOCK_WAIT_MS = 5000;

/** The file of an exposure's pairings. */
export class PairingStore {
  readonly #files: Pick<ExposureFiles, 'pairs' | 'pairsLock'>;
  readonly #clock: Clock;

  constructor(files: Pick<ExposureFiles, 'pairs' | 'pairsLock'>, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /**
   * What the file says now.
   * @throws {UsageError} when it cannot be read, is open to others, or is not ours: it is never taken for empty.
   */
  async read(): Promise<Pairings> {
    const { pairs } = this.#files;
    const content = await inCommandTerms(`read ${describeValue(pairs)}`, () => readPrivateFile(pairs));
    if (content.kind === 'too-open') {
      const mode = content.mode.toString(8).padStart(4, '0');
      throw new UsageError(
        `Cannot use ${describeValue(pairs)}: others may read or change it (mode ${mode}), and it holds secrets; ` +
          `run: chmod 600 ${describeValue(pairs)}`,
      );
    }
    const pairings = parsePairings(content.kind === 'absent' ? undefined : content.text);
    if (pairings === undefined) {
      throw new UsageError(
        `Cannot read ${describeValue(pairs)}: it is damaged or of another version; repair it, or move it away to begin anew`,
      );
    }
    return pairings;
  }

  /**
   * Changes the file: reads, changes and writes under a lock, so that no two commands lose each other's changes.
   * `change` gives back the same object when there is nothing to write.
   * @throws {UsageError} what `change` throws, and when the file or its lock are not to be had.
   */
  async update(change: (pairings: Pairings) => Pairings): Promise<Pairings> {
    const lock = await this.#lock();
    try {
      const before = await this.read();
      const after = change(before);
      if (after !== before) {
        const { pairs } = this.#files;
        await inCommandTerms(`write ${describeValue(pairs)}`, () =>
          replaceFile(pairs, formatPairings(after)),
        );
      }
      return after;
    } finally {
      await lock.release();
    }
  }

  async #lock(): Promise<HeldLock> {
    const { pairsLock } = this.#files;
    const outcome = await inCommandTerms(`make ${describeValue(pairsLock)}`, () =>
      takeLock(pairsLock, { clock: this.#clock, waitMs: LOCK_WAIT_MS }),
    );
    if (outcome.state === 'held') return outcome.lock;
    const { pid, host } = outcome.by;
    throw new UsageError(
      `The pairings are being changed by process ${pid} on ${describeValue(host)}: try again; ` +
        `if there is no such process any more, delete ${describeValue(pairsLock)}`,
    );
  }
}

/** The system's errors, as a sentence. */
async function inCommandTerms<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof UsageError) throw error;
    throw new UsageError(`Cannot ${what} (${code})`, { cause: error });
  }
}
