/** How long a wait lasts before it fails, in ms: generous, as it only ever passes when something is broken. */
export const DEFAULT_WAIT_MS = 10_000;

/** Resolves after `ms`. For spans that must pass (a window, a deadline), never to wait for an event. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** `promise`, or a failure after `timeoutMs` whose message `describe` writes at that moment. */
export async function withTimeout<T>(
  promise: Promise<T>,
  describe: () => string,
  timeoutMs: number = DEFAULT_WAIT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${timeoutMs} ms: ${describe()}`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

export interface EventuallyOptions {
  /** @default 10000 */
  readonly timeoutMs?: number;
  /** @default 50 */
  readonly everyMs?: number;
}

/**
 * Runs `attempt` until it no longer throws and gives back its result; after the timeout its last error is thrown.
 * For what the other process learns by itself (a freed slot), where no event reaches the test.
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = DEFAULT_WAIT_MS, everyMs = 50 } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= end) throw error;
      await delay(everyMs);
    }
  }
}
