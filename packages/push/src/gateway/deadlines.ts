import type { Clock, Timer } from '@openchambery/daemon';
import type { Delivery } from './delivery.ts';

/** How late a deadline may be noticed, in ms: one timer for all that fall into the same span. */
const TICK_MS = 20;
/** A tick later than this means that the process was held up, and answers may be there that it has not read yet. */
const HELD_UP_MS = 200;

/** Every delivery under way, by its deadline; one timer however many there are, none when there is none. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #onPassed: (delivery: Delivery) => void;
  /** By number of the tick at which they have passed. */
  readonly #buckets = new Map<number, Set<Delivery>>();
  #timer: Timer | undefined;
  /** When the timer fires, monotonic. */
  #dueMs = 0;
  /** Whether the last tick only made time to read: that happens once in a row, or a busy process would never tick. */
  #isPutOff = false;

  /** @param onPassed called once for a delivery that is still there when its deadline has passed. */
  constructor(clock: Clock, onPassed: (delivery: Delivery) => void) {
    this.#clock = clock;
    this.#onPassed = onPassed;
  }

  add(delivery: Delivery): void {
    const tick = tickOf(delivery);
    const bucket = this.#buckets.get(tick);
    if (bucket === undefined) this.#buckets.set(tick, new Set([delivery]));
    else bucket.add(delivery);
    if (this.#timer === undefined) this.#schedule();
  }

  /** Harmless for one that has passed. */
  delete(delivery: Delivery): void {
    const tick = tickOf(delivery);
    const bucket = this.#buckets.get(tick);
    if (bucket?.delete(delivery) !== true || bucket.size > 0) return;
    this.#buckets.delete(tick);
    if (this.#buckets.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Forgets all of them and gives them back. */
  clear(): Delivery[] {
    const deliveries = [...this.#buckets.values()].flatMap((bucket) => [...bucket]);
    this.#buckets.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    return deliveries;
  }

  #schedule(): void {
    this.#dueMs = this.#clock.monotonicMs() + TICK_MS;
    this.#timer = this.#clock.setTimer(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#dueMs > HELD_UP_MS && !this.#isPutOff) {
      this.#isPutOff = true;
      this.#schedule();
      return;
    }
    this.#isPutOff = false;
    this.#timer = undefined;
    const now = Math.floor(nowMs / TICK_MS);
    const passed = [...this.#buckets].filter(([tick]) => tick <= now);
    for (const [tick, bucket] of passed) {
      this.#buckets.delete(tick);
      for (const delivery of bucket) this.#onPassed(delivery);
    }
    if (this.#timer === undefined && this.#buckets.size > 0) this.#schedule();
  }
}

function tickOf(delivery: Delivery): number {
  return Math.ceil(delivery.notification.deadlineMs / TICK_MS);
}
