import type { Clock, Timer } from '@openchambery/tunnel';

/** Calls `tick` every `everyMs` until it is stopped. @returns what stops it */
export function startTicker(tick: () => void, everyMs: number, clock: Clock): () => void {
  let timer: Timer | undefined;
  const next = (): void => {
    timer = clock.setTimer(() => {
      next();
      tick();
    }, everyMs);
  };
  next();
  return () => timer?.cancel();
}
