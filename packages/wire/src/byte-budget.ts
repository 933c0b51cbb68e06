/** An owner may hold one part of this many of what is still free. */
const PARTS_PER_OWNER = 8;

/**
 * The bytes that all queues of a relay may hold together, shared so that no owner can take them all.
 *
 * A queue may grow while its owner holds less than an eighth of what is still free (the dynamic thresholds of
 * Choudhury and Hahne, 1998). One owner that fills its queues thus ends at a ninth of the budget, and thirty that do
 * so one after the other still leave others a thirtieth. Each decision needs two numbers, whatever the size of the
 * relay. A queue that holds nothing may always take one chunk: its receiver is not what holds things up.
 */
export class ByteBudget {
  /** The most that all queues hold, in bytes, but for one chunk per otherwise empty queue. */
  readonly limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Bytes in all queues now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** A new party whose queues count together: for a relay, one Host and its Clients. */
  createOwner(): BudgetOwner {
    return new BudgetOwner(this);
  }

  /** Only for owners. */
  charge(delta: number): void {
    this.#usedBytes += delta;
  }
}

/** A party whose queues count together. */
export class BudgetOwner {
  readonly #budget: ByteBudget;
  #usedBytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Bytes in this owner's queues now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether this owner holds as much as it may while others need room. */
  get isPressed(): boolean {
    return this.#usedBytes * PARTS_PER_OWNER >= this.#budget.limitBytes - this.#budget.usedBytes;
  }

  /** Only for accounts. */
  charge(delta: number): void {
    this.#usedBytes += delta;
    this.#budget.charge(delta);
  }
}

/**
 * What one queue holds. It is set to the queue's size, never added to, so that a queue that is gone (size 0)
 * cannot leave anything behind, however it ended.
 */
export class BudgetAccount {
  readonly owner: BudgetOwner;
  #bytes = 0;

  constructor(owner: BudgetOwner) {
    this.owner = owner;
  }

  /** Records that the queue now holds `bytes`. */
  set(bytes: number): void {
    if (bytes === this.#bytes) return;
    const delta = bytes - this.#bytes;
    this.#bytes = bytes;
    this.owner.charge(delta);
  }
}
