import type { PushOutcome } from '../provider/push-outcome.ts';
import { type Service, SERVICES } from '../provider/push-provider.ts';
import type { RefusalCode } from '../request/refusal.ts';
import { ROUTES } from '../request/route.ts';

const KNOWN_PATHS: readonly string[] = Object.values(ROUTES);

/** Totals since start. */
export interface PushCounterTotals {
  /** Answers by route and HTTP status: `/v1/push/send 200`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Partial<Record<RefusalCode, number>>>;
  /** Outcomes of deliveries by service. */
  readonly deliveries: Readonly<Record<Service, Readonly<Partial<Record<PushOutcome['kind'], number>>>>>;
  /** Tokens named by a server that they are not bound to. */
  readonly unbound: number;
  /** Deliveries not begun because too many waited. */
  readonly overloaded: number;
  /** Bindings dropped because their token is dead. */
  readonly dropped: number;
}

/** Counts what happens. Labels come from closed sets. */
export class PushCounters {
  readonly #answers = new Map<string, number>();
  readonly #refusals = new Map<RefusalCode, number>();
  readonly #deliveries: Readonly<Record<Service, Map<PushOutcome['kind'], number>>> = {
    production: new Map(),
    sandbox: new Map(),
    fcm: new Map(),
  };
  #unbound = 0;
  #overloaded = 0;
  #dropped = 0;

  countAnswer(path: string, status: number): void {
    increment(this.#answers, `${KNOWN_PATHS.includes(path) ? path : 'other'} ${status}`);
  }

  countRefusal(code: RefusalCode): void {
    increment(this.#refusals, code);
  }

  countDelivery(service: Service, outcome: PushOutcome['kind']): void {
    increment(this.#deliveries[service], outcome);
  }

  countUnbound(): void {
    this.#unbound++;
  }

  countOverload(): void {
    this.#overloaded++;
  }

  countDropped(count: number): void {
    this.#dropped += count;
  }

  totals(): PushCounterTotals {
    const deliveries = SERVICES.map((each) => [each, Object.fromEntries(this.#deliveries[each])] as const);
    return {
      answers: Object.fromEntries(this.#answers),
      refusals: Object.fromEntries(this.#refusals),
      // All services are there.
      deliveries: Object.fromEntries(deliveries) as PushCounterTotals['deliveries'],
      unbound: this.#unbound,
      overloaded: this.#overloaded,
      dropped: this.#dropped,
    };
  }
}

function increment<Label>(counts: Map<Label, number>, label: Label): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}
