import { DEFAULT_WAIT_MS } from './wait.ts';

interface Taker<T> {
  readonly matches: (item: T) => boolean;
  readonly resolve: (item: T) => void;
  readonly reject: (error: Error) => void;
}

export interface TakeOptions<T> {
  /** Which item to take; the others stay, in order. @default the first one */
  readonly matches?: (item: T) => boolean;
  /** @default 10000 */
  readonly timeoutMs?: number;
}

/** How many of the latest items a failed wait recounts. */
const RECOUNTED = 12;

/** A queue of received things that tests wait on; a wait that fails says what had been seen. */
export class Inbox<T> {
  readonly #name: string;
  readonly #describe: (item: T) => string;
  readonly #items: T[] = [];
  readonly #takers: Taker<T>[] = [];
  readonly #latest: string[] = [];
  #count = 0;
  #ended: string | undefined;

  constructor(name: string, describe: (item: T) => string) {
    this.#name = name;
    this.#describe = describe;
  }

  /** Items that arrived and nobody has taken yet. */
  get size(): number {
    return this.#items.length;
  }

  /** Items that ever arrived. */
  get total(): number {
    return this.#count;
  }

  push(item: T): void {
    this.#count += 1;
    this.#latest.push(this.#describe(item));
    if (this.#latest.length > RECOUNTED) this.#latest.shift();
    const index = this.#takers.findIndex((taker) => taker.matches(item));
    const [taker] = index === -1 ? [] : this.#takers.splice(index, 1);
    if (taker === undefined) this.#items.push(item);
    else taker.resolve(item);
  }

  /** Nothing more will come: every wait, now and later, fails at once with `why`. */
  end(why: string): void {
    this.#ended ??= why;
    for (const taker of this.#takers.splice(0)) taker.reject(this.#failure('nothing more will come'));
  }

  /** The first item that matches, now or when it arrives. */
  take(options: TakeOptions<T> = {}): Promise<T> {
    const { matches = () => true, timeoutMs = DEFAULT_WAIT_MS } = options;
    const index = this.#items.findIndex(matches);
    if (index !== -1) return Promise.resolve(this.#items.splice(index, 1)[0] as T);
    if (this.#ended !== undefined) return Promise.reject(this.#failure('nothing more will come'));
    return this.#wait(matches, timeoutMs);
  }

  /** Everything that arrived and was not taken, in order. */
  takeAll(): T[] {
    return this.#items.splice(0);
  }

  /** What arrived last, for messages of failure. */
  recount(): string {
    const state = this.#ended === undefined ? 'open' : this.#ended;
    const latest = this.#latest.length === 0 ? 'nothing' : this.#latest.join(' | ');
    return `${this.#name} (${state}) has seen ${this.#count}, latest: ${latest}`;
  }

  #wait(matches: (item: T) => boolean, timeoutMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(this.#failure(`nothing that matches came within ${timeoutMs} ms`));
      }, timeoutMs);
      const taker: Taker<T> = {
        matches,
        resolve: (item) => {
          clearTimeout(timer);
          resolve(item);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#takers.push(taker);
    });
  }

  #failure(why: string): Error {
    return new Error(`${why}; ${this.recount()}`);
  }
}
