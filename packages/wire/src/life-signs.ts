import type { Outlet } from './outlet.ts';
import type { ReadGate } from './read-gate.ts';

/**
 * How slowly a peer may read, in bytes per second. The kernel takes megabytes at once, and proxies take more: a ping
 * comes behind all of that, and so does its pong. A peer is given the time to read at this rate what it was sent
 * since it last showed itself; without that, steady readers on slow links would be taken for dead.
 */
const SLOWEST_READ_BYTES_PER_S = 8192;
/** Less than this is read before the next probe even so, in bytes: no time is given for it. */
const SOON_READ_BYTES = 65_536;
/** How many probes in a row may pass so: a peer that is gone must be noticed. */
const MAX_PATIENT_PROBES = 2;

/** Remembers, from one probe to the next, whether a peer showed that it is there. */
export class LifeSigns {
  // The handshake is a sign.
  #hasBeenHeard = true;
  #provenBytes = 0;
  /** When the last sign was seen, and what had been sent to the peer at the probe before. */
  #provenAtMs = 0;
  #sentAtProof = 0;
  #sentAtProbe = 0;
  #patientProbes = 0;

  /** Bytes came from the peer. */
  hear(): void {
    this.#hasBeenHeard = true;
  }

  /**
   * Whether the peer is known to be there since the last call, or may still be busy with what it was sent. It is
   * there if it was heard, if it took bytes that had to wait, or if we did not read it for a time and could not hear
   * it.
   */
  isProven(outlet: Outlet, gate: ReadGate, nowMs: number): boolean {
    const wasShut = gate.takeShut();
    const sentBytes = outlet.sentBytes;
    const proven = this.#hasBeenHeard || wasShut || outlet.provenBytes !== this.#provenBytes;
    if (proven) {
      this.#provenAtMs = nowMs;
      this.#sentAtProof = this.#sentAtProbe;
    }
    this.#hasBeenHeard = false;
    this.#provenBytes = outlet.provenBytes;
    this.#sentAtProbe = sentBytes;
    // With bytes that wait the kernel is full, and would take some of them for a peer that reads at all.
    if (proven || outlet.waitingBytes > 0) {
      this.#patientProbes = 0;
      return proven;
    }
    this.#patientProbes++;
    const isBusy = nowMs - this.#provenAtMs < patienceMs(sentBytes - this.#sentAtProof);
    return isBusy && this.#patientProbes <= MAX_PATIENT_PROBES;
  }
}

function patienceMs(unconfirmedBytes: number): number {
  if (unconfirmedBytes < SOON_READ_BYTES) return 0;
  return (unconfirmedBytes / SLOWEST_READ_BYTES_PER_S) * 1000;
}
