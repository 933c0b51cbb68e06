import type { TunnelTransport } from './transport.ts';

/** Whose wish it is that nothing is read. */
export type PauseReason = 'listener' | 'backlog';

/** Stops the reading of a transport while anyone has a reason to. */
export class ReadingGate {
  readonly #transport: TunnelTransport;
  readonly #reasons = new Set<PauseReason>();

  constructor(transport: TunnelTransport) {
    this.#transport = transport;
  }

  pause(reason: PauseReason): void {
    if (this.#reasons.size === 0) this.#transport.pauseReading();
    this.#reasons.add(reason);
  }

  resume(reason: PauseReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#transport.resumeReading();
  }

  /** Reads on, whoever wanted otherwise: the answer to a close frame must be read too. */
  open(): void {
    if (this.#reasons.size > 0) this.#transport.resumeReading();
    this.#reasons.clear();
  }
}
