import { CLOSE_CODE, type CloseCode } from '@openchambery/protocol';
import type { RelayLimits } from '../limits.ts';

/** Why the relay closes a socket that it had accepted. */
export type CloseCause =
  | 'client-closed'
  | 'host-data-closed'
  | 'peer-fault'
  | 'peer-unresponsive'
  | 'replaced'
  | 'silent'
  | 'control-silent'
  | 'stalled'
  | 'pending-timeout'
  | 'grace-over'
  | 'control-queue'
  | 'stopping';

interface CloseDefinition {
  readonly code: CloseCode;
  /** What the peer is told; a person may read it. At most 123 bytes. */
  readonly text: (limits: RelayLimits) => string;
}

/** The close code and reason of every cause (layer 1, section 3). */
export const CLOSE_CAUSES: Readonly<Record<CloseCause, CloseDefinition>> = {
  'client-closed': { code: CLOSE_CODE.normal, text: () => 'the Client closed' },
  'host-data-closed': { code: CLOSE_CODE.away, text: () => 'the Host closed this connection' },
  'peer-fault': { code: CLOSE_CODE.away, text: () => 'the other side broke the WebSocket protocol' },
  'peer-unresponsive': { code: CLOSE_CODE.away, text: () => 'the other side stopped responding' },
  replaced: { code: CLOSE_CODE.replaced, text: () => 'a newer control connection of this Host took over' },
  silent: {
    code: CLOSE_CODE.away,
    text: (limits) => `no sign of life within HEARTBEAT_MS (${limits.heartbeatMs})`,
  },
  'control-silent': {
    code: CLOSE_CODE.stuck,
    text: (limits) => `no sign of life within HEARTBEAT_MS (${limits.heartbeatMs})`,
  },
  stalled: {
    code: CLOSE_CODE.away,
    text: (limits) => `took no data for STALL_MS (${limits.stallMs})`,
  },
  'pending-timeout': {
    code: CLOSE_CODE.unavailable,
    text: (limits) => `the Host did not attach within PENDING_MS (${limits.pendingMs})`,
  },
  'grace-over': {
    code: CLOSE_CODE.away,
    text: (limits) => `the Host did not come back within GRACE_MS (${limits.graceMs})`,
  },
  'control-queue': {
    code: CLOSE_CODE.limit,
    text: ({ maxControlQueueEntries, maxControlQueuedBytes }) =>
      `limit: MAX_CONTROL_QUEUE_ENTRIES (${maxControlQueueEntries}) or MAX_CONTROL_QUEUED_BYTES (${maxControlQueuedBytes}) reached`,
  },
  stopping: { code: CLOSE_CODE.away, text: () => 'the relay is stopping' },
};
