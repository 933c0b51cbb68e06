import { setTimeout as sleep } from 'node:timers/promises';

/** Arrivals that do not wait for answers. */
export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly seconds: number;
  /** Carries out one arrival, and resolves when it is answered. */
  readonly issue: (index: number) => Promise<void>;
}

/**
 * Issues requests at random times (a Poisson process), those that fall due within a millisecond together, and gives the
 * times to their answers in ms. A request that has to wait for a connection waits on the clock.
 */
export async function openLoop({ perSecond, seconds, issue }: OpenLoopOptions): Promise<readonly number[]> {
  const count = Math.max(1, Math.round(perSecond * seconds));
  const latencies: number[] = [];
  const failures: unknown[] = [];
  const time = async (index: number): Promise<void> => {
    const issuedAt = performance.now();
    try {
      await issue(index);
      latencies.push(performance.now() - issuedAt);
    } catch (error) {
      failures.push(error);
    }
  };
  const answers: Promise<void>[] = [];
  let dueMs = performance.now();
  for (let index = 0; index < count && failures.length === 0; index += 1) {
    dueMs += (-Math.log(1 - Math.random()) * 1000) / perSecond;
    while (performance.now() < dueMs) {
      await sleep(1);
    }
    answers.push(time(index));
  }
  await Promise.all(answers);
  if (failures.length > 0) {
    throw failures[0];
  }
  return latencies;
}
