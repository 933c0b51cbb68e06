import { FakeClock } from '@openchambery/testkit';
import { createWireContext } from '../../src/index.ts';
import type { EndCause, Unmask, WireContext, WireLimits, WireListener } from '../../src/index.ts';

/** Limits that no test reaches by accident. */
export const WIDE_LIMITS: WireLimits = {
  maxMessageBytes: 131_072,
  highWaterBytes: 1_048_576,
  lowWaterBytes: 524_288,
  quantumBytes: 262_144,
  stallMs: 60_000,
  closeDeadlineMs: 5000,
};

/** The next turn of the event loop, which comes when the test says so. */
export class ManualTurns {
  #waiting: (() => void)[] = [];

  get pending(): number {
    return this.#waiting.length;
  }

  readonly next = (callback: () => void): void => {
    this.#waiting.push(callback);
  };

  /** Runs what waits for the next turn, but not what that adds. */
  run(): void {
    for (const callback of this.#waiting.splice(0)) callback();
  }

  /** Runs turns until none is wanted. */
  runAll(): void {
    while (this.#waiting.length > 0) this.run();
  }
}

export interface TestContext {
  readonly context: WireContext;
  readonly clock: FakeClock;
  readonly turns: ManualTurns;
}

export interface TestContextOptions {
  readonly limits?: Partial<WireLimits>;
  /** @default 32 MiB */
  readonly budgetBytes?: number;
  readonly unmask?: Unmask;
  /** Whether turns come by themselves, as real sockets need it. @default false */
  readonly realTurns?: boolean;
}

/** What the sockets of one test share, with time that stands still. */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const clock = new FakeClock();
  const turns = new ManualTurns();
  const context = createWireContext({
    limits: { ...WIDE_LIMITS, ...options.limits },
    budgetBytes: options.budgetBytes ?? 33_554_432,
    clock,
    ...(options.realTurns === true ? {} : { nextTurn: turns.next }),
    ...(options.unmask === undefined ? {} : { unmask: options.unmask }),
  });
  return { context, clock, turns };
}

/** A listener that remembers. */
export class Recorder implements WireListener {
  readonly ends: EndCause[] = [];
  stalls = 0;
  drains = 0;
  goneCount = 0;
  readonly gone: Promise<void>;
  /** Called after each end, to do what an owner would. */
  afterEnd: (cause: EndCause) => void = () => {};
  afterStall: () => void = () => {};
  #resolveGone: () => void = () => {};

  constructor() {
    this.gone = new Promise((resolve) => (this.#resolveGone = resolve));
  }

  onEnd(cause: EndCause): void {
    this.ends.push(cause);
    this.afterEnd(cause);
  }

  onStall(): void {
    this.stalls += 1;
    this.afterStall();
  }

  onDrain(): void {
    this.drains += 1;
  }

  onGone(): void {
    this.goneCount += 1;
    this.#resolveGone();
  }
}
