import { describeValue } from '../cli/describe-value.ts';
import { UsageError } from '../cli/usage-error.ts';
import { createPairing, freeLabel, MAX_LIVE, withoutPairing } from './pairing.ts';
import type { Pairing, Pairings } from './pairing.ts';

/** Pairings with a new one, and that one. */
export interface WithNew {
  readonly pairings: Pairings;
  readonly made: Pairing;
}

/**
 * Adds a pairing. Without a label it gets one.
 * @throws {UsageError} when there is one of that label already, or there are too many.
 */
export function addPairing(pairings: Pairings, label: string | undefined, nowMs: number): WithNew {
  const { live } = pairings;
  // A word has to mean one pairing, whether it is a label or an id.
  if (label !== undefined && live.some((each) => each.label === label || each.id === label)) {
    throw new UsageError(
      `There is a pairing ${describeValue(label)} already: choose another label, or revoke that one first`,
    );
  }
  if (live.length >= MAX_LIVE) {
    throw new UsageError(`There are ${MAX_LIVE} pairings, which is the most: revoke some first`);
  }
  const made = createPairing(label ?? freeLabel(pairings), nowMs);
  return { pairings: { ...pairings, live: [...live, made] }, made };
}

/** The pairing whose link `expose` shows: that of the label, or else the newest. */
export function pairingToShow({ live }: Pairings, label: string | undefined): Pairing | undefined {
  return label === undefined ? live.at(-1) : live.find((each) => each.label === label);
}

/**
 * Revokes every pairing that one of the words names, or none at all.
 * @throws {UsageError} for a word that names none.
 */
export function revokePairings(pairings: Pairings, words: readonly string[], nowMs: number): Pairings {
  const ids = words.map((word) => findPairing(pairings, word).id);
  let left = pairings;
  for (const id of ids) left = withoutPairing(left, id, nowMs);
  return left;
}

function findPairing({ live }: Pairings, word: string): Pairing {
  const found = live.find(({ id, label }) => id === word || label === word);
  if (found !== undefined) return found;
  const known = live.map(({ id, label }) => `${id} (${describeValue(label)})`).slice(0, 10);
  const rest = live.length > known.length ? ', ...' : '';
  const allowed = known.length === 0 ? 'there are no pairings' : `expected one of ${known.join(', ')}${rest}`;
  // Somebody may give the secret or the link instead of the label.
  const echo =
    word.length > 40 || word.includes('#') ? 'No such pairing' : `No pairing ${describeValue(word)}`;
  throw new UsageError(`${echo}: ${allowed}`);
}
