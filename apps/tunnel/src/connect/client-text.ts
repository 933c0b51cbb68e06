import type { ClientStatus, RelayClient } from '@openchambery/client';
import { formatBytes } from '../terminal/bytes-text.ts';
import type { Stage } from '../terminal/report.ts';
import { describeClientError } from './describe-failure.ts';
import { describePairingRefusal } from './pairing-standing.ts';
import type { PairingRefusal } from './pairing-standing.ts';

/** What else a status line tells. */
export interface ClientDetail {
  /** Exchanges under way. */
  readonly openCount: number;
  /** Why the Host does not take the pairing; the channel may stand all the same. */
  readonly refusal: PairingRefusal | undefined;
  readonly detail: 'brief' | 'full';
}

/** How a Client is, for people. */
export function describeClient(
  { status, traffic }: Pick<RelayClient, 'status' | 'traffic'>,
  { openCount, refusal, detail }: ClientDetail,
): string {
  const parts = [describeStatus(status, detail)];
  if (refusal !== undefined) parts.push(describePairingRefusal(refusal));
  if (detail === 'brief') return parts.join(' · ');
  const counters = [`${formatBytes(traffic.receivedBytes)} down`, `${formatBytes(traffic.sentBytes)} up`];
  return [...parts, ...(openCount > 0 ? [`${openCount} open`] : []), ...counters].join(' · ');
}

function describeStatus(status: ClientStatus, detail: ClientDetail['detail']): string {
  switch (status.state) {
    case 'reconnecting': {
      // Lines of their own are for news, and each attempt has another wait.
      const isCounted = detail === 'full' && status.retryInMs > 0;
      const when = isCounted ? ` in ${Math.ceil(status.retryInMs / 1000)} s` : '';
      return `reconnecting${when}: ${describeClientError(status.error)}`;
    }
    case 'failed':
      return `not connected: ${describeClientError(status.error)}`;
    default:
      return status.state;
  }
}

/** Where a Client is on its way to the Host. */
export function clientStage({ state }: ClientStatus): Stage {
  if (state === 'connecting') return 'trying';
  return state === 'reconnecting' || state === 'failed' ? 'failed' : 'other';
}

/** How a Client is, for programs. */
export function clientFields(
  status: ClientStatus,
  refusal: PairingRefusal | undefined,
): Readonly<Record<string, unknown>> {
  if (!('error' in status)) return { ...status, refusal };
  const { state, error } = status;
  const retry = 'retryInMs' in status ? { retryInMs: Math.round(status.retryInMs) } : {};
  return { state, code: error.code, reason: describeClientError(error), refusal, ...retry };
}
