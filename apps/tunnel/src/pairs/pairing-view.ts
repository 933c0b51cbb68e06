import { readFileSync, statSync } from 'node:fs';
import { codeOf } from '../cli/describe-value.ts';
import { parsePairings } from './pairs-text.ts';
import { createSecretCheck } from './secret-check.ts';
import type { CheckSecret } from './secret-check.ts';
import type { Pairings } from './pairing.ts';

/** The pairings as the file has them at a moment. */
export type PairingsNow =
  | { readonly state: 'read'; readonly pairings: Pairings; readonly check: CheckSecret }
  /** Nobody may pass: a revocation may stand in what cannot be read. */
  | { readonly state: 'unreadable'; readonly reason: string };

/**
 * What a running `expose` sees of the pairings. Other processes change the file, so each look asks the system whether
 * it is still the same; it is read again only when it is not. Synchronous: between a check and what it allows nothing
 * can happen.
 */
export class PairingView {
  readonly #path: string;
  #stamp = '';
  #now: PairingsNow = { state: 'unreadable', reason: 'not read yet' };

  constructor(path: string) {
    this.#path = path;
  }

  /** The pairings at this moment. */
  look(): PairingsNow {
    try {
      const stamp = stampOf(this.#path);
      if (stamp !== this.#stamp) {
        this.#now = read(this.#path);
        this.#stamp = stamp;
      }
    } catch (error) {
      this.#stamp = '';
      this.#now = { state: 'unreadable', reason: codeOf(error) ?? 'unknown error' };
    }
    return this.#now;
  }
}

/** Changes whenever the file does: each version of it is another file, renamed into its place. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.dev}/${stat.ino}/${stat.mtimeNs}/${stat.ctimeNs}/${stat.size}`;
}

function read(path: string): PairingsNow {
  const pairings = parsePairings(readTextIfThere(path));
  return pairings === undefined
    ? { state: 'unreadable', reason: 'damaged, or of another version' }
    : { state: 'read', pairings, check: createSecretCheck(pairings) };
}

function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
