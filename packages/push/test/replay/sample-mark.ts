import { createHash } from 'node:crypto';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';

/** What of a mark a test cares about. */
export interface SampleMark {
  readonly server?: string;
  readonly text?: string;
  readonly route?: string;
  readonly ts?: number;
  readonly ip?: string;
}

/** A mark; what is not said is the same for all. */
export function sampleMark({ server = 'S', text = 'text', ...rest }: SampleMark = {}): ReplayMark {
  return {
    serverId: server,
    textHash: createHash('sha256').update(text).digest(),
    route: rest.route ?? '/v1/push/send',
    ts: rest.ts ?? 1_700_000_000_000,
    ip: rest.ip ?? '192.0.2.1',
  };
}
