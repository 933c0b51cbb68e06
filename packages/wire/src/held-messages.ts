import { BudgetAccount, type BudgetOwner } from './byte-budget.ts';
import { ByteQueue } from './byte-queue.ts';

/** Messages of a peer whose target is not there yet, in order. */
export class HeldMessages {
  readonly #queue: ByteQueue = new ByteQueue();
  readonly #account: BudgetAccount;

  constructor(owner: BudgetOwner) {
    this.#account = new BudgetAccount(owner);
  }

  /** Appends frames, which now belong here. */
  keep(prefix: Buffer | undefined, run: Buffer | undefined): void {
    if (prefix !== undefined) this.#queue.push(prefix);
    if (run !== undefined) this.#queue.push(run);
    this.#account.set(this.#queue.bytes);
  }

  /** Whether the peer may be read on: less than `highWaterBytes` is held, and others have room. */
  mayGrow(highWaterBytes: number): boolean {
    return this.#queue.bytes < highWaterBytes && !this.#account.owner.isPressed;
  }

  /** Gives the messages away, off this account. */
  release(): ByteQueue {
    this.#account.set(0);
    return this.#queue;
  }
}
