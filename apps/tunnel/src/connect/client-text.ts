import type { ClientStatus, RelayClient } from '@openchambery/client';
import { formatBytes } from '../terminal/bytes-text.ts';
import { connectionFailure } from './describe-failure.ts';

/** What else a status line tells. */
export interface ClientDetail {
  /** Exchanges under way. */
  readonly openCount: number;
  readonly detail: 'brief' | 'full';
}

/** How a Client is, for people. */
export function describeClient(
  { status, traffic }: Pick<RelayClient, 'status' | 'traffic'>,
  { openCount, detail }: ClientDetail,
): string {
  const state = describeStatus(status);
  if (detail === 'brief') return state;
  const counters = [`${formatBytes(traffic.receivedBytes)} down`, `${formatBytes(traffic.sentBytes)} up`];
  return [state, ...(openCount > 0 ? [`${openCount} open`] : []), ...counters].join(' · ');
}

function describeStatus(status: ClientStatus): string {
  switch (status.state) {
    case 'reconnecting':
      return `reconnecting in ${Math.ceil(status.retryInMs / 1000)} s: ${connectionFailure(status.error) ?? ''}`;
    case 'failed':
      return `not connected: ${connectionFailure(status.error) ?? ''}`;
    default:
      return status.state;
  }
}

/** How a Client is, for programs. */
export function clientFields(status: ClientStatus): Readonly<Record<string, unknown>> {
  if (!('error' in status)) return { ...status };
  const { error, ...rest } = status;
  return { ...rest, code: error.code, reason: connectionFailure(error) };
}
