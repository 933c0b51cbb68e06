import type { HostRole } from './role.ts';

/** Bytes in a signature: r‖s, IEEE P1363. */
export const SIGNATURE_BYTES = 64;

/** Decimal, no sign, no leading zero, at most 16 digits. */
const TIMESTAMP = /^(?:0|[1-9]\d{0,15})$/;

/** What a Host signs to open a socket. */
export interface SignedFields {
  /** Decimal ms since the epoch, as it goes into the query. */
  readonly ts: string;
  readonly serverId: string;
  readonly role: HostRole;
  /** Only for host-data. */
  readonly connectionId?: string;
}

/**
 * The text a Host signs with ECDSA P-256 and SHA-256. No part may contain a dot, so that two different upgrades never
 * have the same text: parse them first.
 */
export function signingText(fields: SignedFields): string {
  return `${fields.ts}.${fields.serverId}.${fields.role}.${fields.connectionId ?? ''}`;
}

/** Reads a `ts` field, in ms since the epoch; `undefined` when it has another form. Never throws. */
export function parseTimestamp(ts: string): number | undefined {
  return TIMESTAMP.test(ts) ? Number(ts) : undefined;
}
