/** What becomes of results, in the order in which they were asked for. */
export interface InOrderListener<Result> {
  onResult(result: Result): void;
  /** One of them failed. Whoever hears of it drops the rest. */
  onFailure(): void;
  /** Some that had to wait have been passed on. */
  onFewer(): void;
}

interface Entry<Result> {
  readonly byteLength: number;
  outcome: Outcome<Result>;
  next: Entry<Result> | undefined;
}

type Outcome<Result> =
  | { readonly name: 'waiting' }
  | { readonly name: 'failed' }
  | { readonly name: 'done'; readonly result: Result };

const WAITING = { name: 'waiting' } as const;
const FAILED = { name: 'failed' } as const;

/**
 * Passes results on in order, though they may take different times to come about. A result that is there at once, with
 * nothing before it, is passed on at once, and costs nothing.
 */
export class InOrder<Result> {
  readonly #listener: InOrderListener<Result>;
  #first: Entry<Result> | undefined;
  #last: Entry<Result> | undefined;
  #count = 0;
  #byteLength = 0;

  constructor(listener: InOrderListener<Result>) {
    this.#listener = listener;
  }

  /** Results that are still to be passed on. */
  get count(): number {
    return this.#count;
  }

  /** What was asked for them, in bytes. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Takes the next result, worth `byteLength` bytes while it waits. */
  add(result: Result | Promise<Result>, byteLength: number): void {
    if (!isPromise(result)) {
      if (this.#first === undefined) this.#listener.onResult(result);
      else this.#append({ byteLength, outcome: { name: 'done', result }, next: undefined });
      return;
    }
    const entry: Entry<Result> = { byteLength, outcome: WAITING, next: undefined };
    this.#append(entry);
    result.then(
      (result) => this.#settle(entry, { name: 'done', result }),
      () => this.#settle(entry, FAILED),
    );
  }

  /** Forgets all of them: what still comes about goes nowhere. */
  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
    this.#count = 0;
    this.#byteLength = 0;
  }

  #append(entry: Entry<Result>): void {
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#count++;
    this.#byteLength += entry.byteLength;
  }

  #settle(entry: Entry<Result>, outcome: Outcome<Result>): void {
    entry.outcome = outcome;
    if (entry !== this.#first) return;
    for (let next = this.#takeSettled(); next !== undefined; next = this.#takeSettled()) {
      if (next.name === 'done') this.#listener.onResult(next.result);
      else this.#listener.onFailure();
    }
    this.#listener.onFewer();
  }

  #takeSettled(): Exclude<Outcome<Result>, { name: 'waiting' }> | undefined {
    const entry = this.#first;
    if (entry === undefined || entry.outcome.name === 'waiting') return undefined;
    this.#first = entry.next;
    if (entry.next === undefined) this.#last = undefined;
    this.#count--;
    this.#byteLength -= entry.byteLength;
    return entry.outcome;
  }
}

/** Not by `instanceof`: a promise of another realm must not pass for a result. */
function isPromise<Result>(result: Result | Promise<Result>): result is Promise<Result> {
  return typeof result === 'object' && result !== null && 'then' in result;
}
