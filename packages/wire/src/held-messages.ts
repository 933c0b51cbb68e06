import type { BlockPool } from './block-pool.ts';
import { BudgetAccount, type BudgetOwner } from './byte-budget.ts';
import { ByteQueue } from './byte-queue.ts';

/** Messages of a peer whose target is not there yet, in order. */
export class HeldMessages {
  readonly #queue: ByteQueue;
  readonly #account: BudgetAccount;

  constructor(pool: BlockPool, owner: BudgetOwner) {
    this.#queue = new ByteQueue(pool);
    this.#account = new BudgetAccount(owner);
  }

  /** Appends frames. */
  keep(frames: Buffer): void {
    this.#queue.push(frames);
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
