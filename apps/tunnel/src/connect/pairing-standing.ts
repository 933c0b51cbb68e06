import type { RawResponse } from '@openchambery/client';
import type { IncomingBytes } from '@openchambery/tunnel';

/** What a Host answers when the pairing does not count. */
export type PairingRefusal = 'pairing_required' | 'pairing_revoked';

/** What an answer says about the pairing. */
export type PairingVerdict = 'accepted' | PairingRefusal;

const REFUSALS: Readonly<Record<PairingRefusal, string>> = {
  pairing_required: 'the Host does not know the pairing of this link: ask for a new link',
  pairing_revoked: 'the pairing was revoked: ask for a new link',
};

/** A refusal for people; they hear of it nowhere else, for the programs that are answered 401 need not show why. */
export function describePairingRefusal(refusal: PairingRefusal): string {
  return REFUSALS[refusal];
}

/** Whether a word of a Host is about the pairing. */
export function isPairingRefusal(word: unknown): word is PairingRefusal {
  return typeof word === 'string' && Object.hasOwn(REFUSALS, word);
}

/** How the pairing of a link stands with the Host, as far as its answers have told. */
export class PairingStanding {
  #refusal: PairingRefusal | undefined;
  #onChange: (refusal: PairingRefusal | undefined) => void = () => undefined;

  /** From now on `listener` hears of each change, in the place of an earlier one. */
  onChange(listener: (refusal: PairingRefusal | undefined) => void): void {
    this.#onChange = listener;
  }

  /** The last refusal, until an answer shows that the pairing counts. */
  get refusal(): PairingRefusal | undefined {
    return this.#refusal;
  }

  judge(verdict: PairingVerdict): void {
    const refusal = verdict === 'accepted' ? undefined : verdict;
    if (refusal === this.#refusal) return;
    this.#refusal = refusal;
    this.#onChange(refusal);
  }
}

/** More than a Host's refusal has. */
const MAX_REFUSAL_BYTES = 1024;

/**
 * Tells what an answer says about the pairing. A refusal is known by its body, as that goes by; an origin that imitates
 * one is believed, which changes nothing but a line for people.
 * @returns the body to pass on
 */
export function watchForVerdict(
  { status, headers, body }: Pick<RawResponse, 'status' | 'headers' | 'body'>,
  tell: (verdict: PairingVerdict) => void,
): Pick<IncomingBytes, 'read'> {
  if (status < 400) tell('accepted');
  if (status !== 401 || headers['content-type'] !== 'application/json') return body;
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  return {
    read: async () => {
      const chunk = await body.read();
      byteLength += chunk?.byteLength ?? 0;
      // A chunk may be written over once the next one is asked for.
      if (chunk !== undefined && byteLength <= MAX_REFUSAL_BYTES) chunks.push(chunk.slice());
      if (chunk !== undefined || byteLength > MAX_REFUSAL_BYTES) return chunk;
      const refusal = refusalIn(Buffer.concat(chunks).toString());
      if (refusal !== undefined) tell(refusal);
      return undefined;
    },
  };
}

function refusalIn(text: string): PairingRefusal | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
    return isPairingRefusal(answer.error) ? answer.error : undefined;
  } catch {
    // Not JSON, whatever its type: an origin's own answer.
    return undefined;
  }
}
