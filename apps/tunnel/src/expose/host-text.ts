import type { HostSnapshot, HostStatus } from '@openchambery/host';
import { onOneLine } from '../cli/describe-value.ts';
import { formatBytes } from '../terminal/bytes-text.ts';
import type { Stage } from '../terminal/report.ts';

/** How a Host is, for people. */
export function describeHost(snapshot: HostSnapshot, detail: 'brief' | 'full'): string {
  const { status, connections, openStreams, receivedBytes, sentBytes, lastError } = snapshot;
  const parts = [
    describeStatus(status, detail),
    `${connections} ${connections === 1 ? 'device' : 'devices'}`,
  ];
  if (detail === 'full') {
    if (openStreams > 0) parts.push(`${openStreams} open`);
    parts.push(`${formatBytes(receivedBytes)} in`, `${formatBytes(sentBytes)} out`);
  }
  // A state that has a reason of its own says what is wrong now.
  if (lastError !== undefined && !('reason' in status)) parts.push(`last error: ${onOneLine(lastError)}`);
  return parts.join(' · ');
}

function describeStatus(status: HostStatus, detail: 'brief' | 'full'): string {
  // Lines of their own are for news, and each attempt has another wait.
  const retryInMs = 'retryInMs' in status && detail === 'full' ? status.retryInMs : 0;
  const when = retryInMs > 0 ? ` in ${Math.ceil(retryInMs / 1000)} s` : '';
  switch (status.state) {
    case 'reconnecting':
      return `reconnecting${when}: ${onOneLine(status.reason)}`;
    case 'refused':
      return `refused by the relay, tried again${when}: ${status.code} ${onOneLine(status.reason)}`;
    default:
      return status.state;
  }
}

/** Where a Host is on its way to the relay. */
export function hostStage({ state }: HostStatus): Stage {
  if (state === 'connecting') return 'trying';
  return state === 'reconnecting' || state === 'refused' ? 'failed' : 'other';
}

/** How a Host is, for programs; without counters of bytes. */
export function hostFields({
  status,
  connections,
  lastError,
}: HostSnapshot): Readonly<Record<string, unknown>> {
  const retry = 'retryInMs' in status ? { retryInMs: Math.round(status.retryInMs) } : {};
  return { ...status, ...retry, devices: connections, lastError };
}
