import type { Role } from '@openchambery/protocol';
import type { CloseCause } from '../connection/close-cause.ts';
import type { RefusalReason } from '../upgrade/refusal.ts';

/** Totals since the relay started. The keys come from closed sets, never from strangers. */
export interface CounterTotals {
  readonly accepted: Readonly<Record<Role, number>>;
  readonly refused: Readonly<Partial<Record<RefusalReason, number>>>;
  /** Sockets that the relay closed, by cause. */
  readonly closed: Readonly<Partial<Record<CloseCause, number>>>;
  /** TCP connections destroyed without an answer, because of a limit. */
  readonly droppedConnections: number;
  /** What mounted services threw. */
  readonly mountFaults: number;
}

/** Counts what happens, for the snapshot. */
export class Counters {
  readonly #accepted: Record<Role, number> = { client: 0, 'host-control': 0, 'host-data': 0 };
  readonly #refused: Partial<Record<RefusalReason, number>> = {};
  readonly #closed: Partial<Record<CloseCause, number>> = {};
  #droppedConnections = 0;
  #mountFaults = 0;

  countAccept(role: Role): void {
    this.#accepted[role]++;
  }

  countRefusal(reason: RefusalReason): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1;
  }

  countClose(cause: CloseCause): void {
    this.#closed[cause] = (this.#closed[cause] ?? 0) + 1;
  }

  countDroppedConnection(): void {
    this.#droppedConnections++;
  }

  countMountFault(): void {
    this.#mountFaults++;
  }

  /** A copy of all totals. */
  totals(): CounterTotals {
    return {
      accepted: { ...this.#accepted },
      refused: { ...this.#refused },
      closed: { ...this.#closed },
      droppedConnections: this.#droppedConnections,
      mountFaults: this.#mountFaults,
    };
  }
}
