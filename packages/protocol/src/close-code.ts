/**
 * The WebSocket close codes of the contract (RFC 6455 §7.4). Codes from 4000 belong to the relay; the others keep
 * their registered meaning, with 1008 standing for an upgrade whose path or fields are malformed.
 */
export const CLOSE_CODE = {
  /** The other leg closed normally. */
  normal: 1000,
  /** A fault against RFC 6455 on this hop. */
  protocol: 1002,
  /** Text that is not UTF-8, found by an endpoint of this hop. */
  invalidData: 1007,
  /** The path or the query fields of the upgrade are wrong. */
  malformed: 1008,
  /** A frame or message over the limit. */
  tooBig: 1009,
  /** The Host is gone, the other leg is gone, the relay is stopping, or the heartbeat found nobody. */
  away: 1012,
  /** The relay as a whole is full; this clears by itself. */
  tryLater: 1013,
  /** A newer control socket of the same Host took over. */
  replaced: 4001,
  /** Host-data for a connection that is unknown or already attached. */
  duplicate: 4002,
  /** A control socket missed a heartbeat. */
  stuck: 4003,
  /** No such Host, or it did not attach in time. */
  unavailable: 4008,
  /** The signature, key or timestamp is wrong, or the upgrade was seen before. */
  auth: 4010,
  /** A limit of one IP, one Host or one socket. */
  limit: 4029,
} as const;

/** A close code of the contract. */
export type CloseCode = (typeof CLOSE_CODE)[keyof typeof CLOSE_CODE];

/** The codes after which deployed Clients give up for good. Hosts retry on every code. */
export const TERMINAL_CLOSE_CODES: readonly CloseCode[] = [
  CLOSE_CODE.duplicate,
  CLOSE_CODE.auth,
  CLOSE_CODE.limit,
];

/** Whether a deployed Client that is closed with `code` gives up for good. Takes any code a socket may report. */
export function isTerminalForClient(code: number): boolean {
  return TERMINAL_CLOSE_CODES.some((terminal) => terminal === code);
}
