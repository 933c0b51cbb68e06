import { startRelay } from '@openchambery/testkit';
import type { RelayProcess, StartRelayOptions } from '@openchambery/testkit';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** Limits out of the way of tests that are about something else and share one relay. */
export const roomy: Readonly<Record<string, number>> = {
  MAX_ADMISSIONS_PER_IP: 100_000,
  MAX_HOST_CONTROL_ADMISSIONS_PER_IP: 100_000,
  MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: 100_000,
  MAX_RAW_SOCKETS_PER_IP: 4096,
  MAX_CLIENTS_PER_IP: 1000,
  MAX_CLIENTS_PER_HOST: 1000,
  MAX_PENDING_CLIENTS: 1000,
};

/** One relay for the tests of the surrounding `describe`. That it has not crashed is checked at the end. */
export function useRelay(options: StartRelayOptions = {}): RelayProcess {
  let running: RelayProcess | undefined;
  let hasExited = false;
  beforeAll(async () => {
    running = await startRelay(options);
    void running.exited.finally(() => (hasExited = true));
  });
  afterAll(async () => {
    const crashed = hasExited;
    await running?.stop();
    expect(crashed, `the relay ended during the tests: ${running?.stderr()}`).toBe(false);
  });
  // The process exists from beforeAll on; the tests of the block want to name it before that.
  return new Proxy({} as RelayProcess, {
    get: (_target, key) => {
      if (running === undefined) throw new Error('the relay runs inside tests and hooks only');
      return Reflect.get(running, key) as unknown;
    },
  });
}

/** A relay for the current test alone. */
export async function ownRelay(options: StartRelayOptions = {}): Promise<RelayProcess> {
  const relay = await startRelay(options);
  onTestFinished(() => relay.stop());
  return relay;
}
