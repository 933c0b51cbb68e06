import { CLOSE_CODE, type CloseCode } from '@openchambery/protocol';

/** Why an upgrade is refused. */
export type RefusalReason =
  | 'malformed'
  | 'malformed-rate'
  | 'client-rate'
  | 'host-data-rate'
  | 'host-control-rate'
  | 'host-rate'
  | 'auth'
  | 'sockets-full'
  | 'sockets-full-control'
  | 'hosts-full'
  | 'host-unknown'
  | 'connections-full'
  | 'pending-full'
  | 'clients-per-host'
  | 'clients-per-ip'
  | 'pending-per-host'
  | 'pending-per-ip'
  | 'no-connection-id'
  | 'duplicate'
  | 'stopping';

/** A refused upgrade: why, and what its peer is told. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** A short text a person can act on, without secrets. At most 123 bytes of it are sent. */
  readonly detail: string;
}

/** The close code of every refusal (layer 1, sections 3 to 5). */
export const REFUSAL_CODES: Readonly<Record<RefusalReason, CloseCode>> = {
  malformed: CLOSE_CODE.malformed,
  'malformed-rate': CLOSE_CODE.limit,
  'client-rate': CLOSE_CODE.limit,
  'host-data-rate': CLOSE_CODE.limit,
  'host-control-rate': CLOSE_CODE.limit,
  'host-rate': CLOSE_CODE.limit,
  auth: CLOSE_CODE.auth,
  'sockets-full': CLOSE_CODE.tryLater,
  // Hosts retry on every code, and deployed ones know this one.
  'sockets-full-control': CLOSE_CODE.limit,
  'hosts-full': CLOSE_CODE.limit,
  'host-unknown': CLOSE_CODE.unavailable,
  'connections-full': CLOSE_CODE.tryLater,
  'pending-full': CLOSE_CODE.tryLater,
  'clients-per-host': CLOSE_CODE.limit,
  'clients-per-ip': CLOSE_CODE.limit,
  'pending-per-host': CLOSE_CODE.limit,
  'pending-per-ip': CLOSE_CODE.limit,
  'no-connection-id': CLOSE_CODE.limit,
  duplicate: CLOSE_CODE.duplicate,
  stopping: CLOSE_CODE.away,
};
