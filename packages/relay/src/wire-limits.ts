import type { WireLimits } from '@openchambery/wire';
import type { RelayLimits } from './limits.ts';

/**
 * What one pair sends and about what it reads in one turn of the event loop, in bytes. Large enough that a lone
 * pair is not slowed, small enough (well under a millisecond of work) that others hardly notice.
 */
const QUANTUM_BYTES = 262_144;

/** The bounds of the data plane that follow from the relay's limits (layer 1, section 6). */
export function createWireLimits(limits: RelayLimits): WireLimits {
  const most = limits.maxQueuedBytesPerConnection;
  return {
    maxMessageBytes: limits.maxFrameBytes,
    highWaterBytes: Math.max(1, Math.floor(most / 2)),
    lowWaterBytes: Math.floor(most / 4),
    quantumBytes: Math.min(QUANTUM_BYTES, limits.maxBufferedAmount),
    stallMs: limits.stallMs,
    closeDeadlineMs: limits.closeDeadlineMs,
  };
}
