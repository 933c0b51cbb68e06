import type { RelayProcess } from '@openchambery/testkit';

/** Limits of a relay that notices soon who is gone: after one or two heartbeats. */
export const WATCHFUL: { readonly HEARTBEAT_MS: number } = { HEARTBEAT_MS: 1500 };

/** What the relay logs of a connection that is over. */
interface ClosedLine {
  readonly role: string;
  readonly code: number;
}

/** Resolves when the relay has done with `count` connections of a role; their close codes. */
export async function relayClosed(
  relay: RelayProcess,
  role: 'client' | 'host-data' | 'host-control',
  count = 1,
): Promise<readonly number[]> {
  const log = await relay.output('stderr', (text) => codesIn(text, role).length >= count);
  return codesIn(log, role);
}

function codesIn(log: string, role: string): number[] {
  return log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"connection closed"'))
    .map((line) => JSON.parse(line) as ClosedLine)
    .flatMap((line) => (line.role === role ? [line.code] : []));
}
