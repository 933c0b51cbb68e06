import type { ClientTunnel, Clock } from '@openchambery/tunnel';
import type { RelayClientError } from '../relay-client-error.ts';

/** What a waiting room needs. */
export interface WaitingRoomParts {
  readonly clock: Clock;
  /** Longest wait, in ms. */
  readonly timeoutMs: number;
  /** What whoever waited in vain is told. */
  readonly timeoutError: () => RelayClientError;
}

interface Waiter {
  admit(tunnel: ClientTunnel): void;
  refuse(error: unknown): void;
}

/** Where requests wait for a connection, each as long as it may. */
export class WaitingRoom {
  readonly #parts: WaitingRoomParts;
  readonly #waiters = new Set<Waiter>();

  constructor(parts: WaitingRoomParts) {
    this.#parts = parts;
  }

  /** Resolves with the next tunnel; rejects when there is none in time, or with the signal's reason. */
  wait(signal: AbortSignal | undefined): Promise<ClientTunnel> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        admit: (tunnel) => {
          leave();
          resolve(tunnel);
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = (): void => waiter.refuse(signal?.reason);
      const { clock, timeoutMs, timeoutError } = this.#parts;
      const timer = clock.setTimer(() => waiter.refuse(timeoutError()), timeoutMs);
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort);
    });
  }

  /** Lets everyone in. */
  admit(tunnel: ClientTunnel): void {
    for (const waiter of this.#waiters) waiter.admit(tunnel);
  }

  /** Sends everyone away. */
  refuse(error: RelayClientError): void {
    for (const waiter of this.#waiters) waiter.refuse(error);
  }
}
