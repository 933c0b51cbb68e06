import type { RelayClient } from '@openchambery/client';
import type { Clock, Timer } from '@openchambery/tunnel';

/** How long a refusal for good is let stand, in ms: a limit of the relay is over after its window, a minute. */
const AGAIN_MS = 60_000;

/**
 * Connects, and connects again where a Client alone would not: somebody may put right what a relay refuses.
 * @returns what ends it
 */
export function keepTrying(client: Pick<RelayClient, 'connect' | 'onStatus'>, clock: Clock): () => void {
  let timer: Timer | undefined;
  const attempt = (): void => {
    // Its status says how it went.
    client.connect().catch(() => undefined);
  };
  const stopListening = client.onStatus(({ state }) => {
    timer?.cancel();
    timer = state === 'failed' ? clock.setTimer(attempt, AGAIN_MS) : undefined;
  });
  attempt();
  return () => {
    timer?.cancel();
    stopListening();
  };
}
