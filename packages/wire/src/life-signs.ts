import type { Outlet } from './outlet.ts';
import type { ReadGate } from './read-gate.ts';

/** Remembers, from one probe to the next, whether a peer showed that it is there. */
export class LifeSigns {
  // The handshake is a sign.
  #hasBeenHeard = true;
  #provenBytes = 0;

  /** Bytes came from the peer. */
  hear(): void {
    this.#hasBeenHeard = true;
  }

  /**
   * Whether the peer is known to be there since the last call: it was heard, it took bytes that had to wait, or we
   * did not read it for a time and could not hear it.
   */
  isProven(outlet: Outlet, gate: ReadGate): boolean {
    const wasShut = gate.takeShut();
    const proven = this.#hasBeenHeard || wasShut || outlet.provenBytes !== this.#provenBytes;
    this.#hasBeenHeard = false;
    this.#provenBytes = outlet.provenBytes;
    return proven;
  }
}
