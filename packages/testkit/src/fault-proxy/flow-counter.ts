import type { FlowBytes } from './link-faults.ts';

interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Counts the bytes of one direction, and those of all connections along with it. */
export class FlowCounter implements FlowBytes {
  receivedBytes = 0;
  deliveredBytes = 0;
  droppedBytes = 0;
  readonly #total: FlowCounter | undefined;
  #waiters: Waiter[] = [];
  #hasEnded = false;

  constructor(total?: FlowCounter) {
    this.#total = total;
  }

  received(bytes: number): void {
    this.receivedBytes += bytes;
    this.#total?.received(bytes);
  }

  delivered(bytes: number): void {
    this.deliveredBytes += bytes;
    this.#total?.delivered(bytes);
    if (this.#waiters.length === 0) return;
    for (const waiter of this.#waiters) if (waiter.bytes <= this.deliveredBytes) waiter.resolve();
    this.#waiters = this.#waiters.filter((waiter) => waiter.bytes > this.deliveredBytes);
  }

  dropped(bytes: number): void {
    this.droppedBytes += bytes;
    this.#total?.dropped(bytes);
  }

  /** Resolves when that many bytes have been delivered; rejects when the connection ends before. */
  passed(bytes: number): Promise<void> {
    if (bytes <= this.deliveredBytes) return Promise.resolve();
    if (this.#hasEnded) return Promise.reject(this.#tooFew(bytes));
    return new Promise((resolve, reject) => this.#waiters.push({ bytes, resolve, reject }));
  }

  /** Nothing more will come. */
  end(): void {
    this.#hasEnded = true;
    for (const { bytes, reject } of this.#waiters.splice(0)) reject(this.#tooFew(bytes));
  }

  #tooFew(bytes: number): Error {
    return new Error(`the connection ended after ${this.deliveredBytes} of ${bytes} bytes`);
  }
}
