import { encodeBase64url } from '@openchambery/protocol';
import type { Hello } from './handshake-message.ts';

/** Hellos remembered by default: some megabytes. */
const MAX_HELLOS = 16_384;

/**
 * The hellos whose channels have been used. A Host puts nothing of its own into the keys, so whoever recorded a channel on
 * its way, the relay above all, could play it to the Host once more: the same hello makes the same keys, and every request
 * in it would be executed again. Only who knows the Host's public key can use a hello up, so a relay cannot push others
 * out; after `maxHellos` further ones, and with the process, they are forgotten.
 */
export class SpentHellos {
  readonly #maxHellos: number;
  readonly #spent = new Set<string>();

  constructor(maxHellos: number = MAX_HELLOS) {
    this.#maxHellos = maxHellos;
  }

  /** Uses a hello up. @returns `false` when one with the same keys was used up before */
  spend({ clientPubJwk, nonce }: Hello): boolean {
    // Without y: a point and its mirror image agree on the same secret.
    const keys = `${clientPubJwk.x}.${encodeBase64url(nonce)}`;
    if (this.#spent.has(keys)) return false;
    const [oldest] = this.#spent;
    if (oldest !== undefined && this.#spent.size >= this.#maxHellos) this.#spent.delete(oldest);
    this.#spent.add(keys);
    return true;
  }
}
