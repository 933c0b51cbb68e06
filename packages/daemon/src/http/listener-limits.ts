/** The limits of a listener; each daemon declares them in its own table. */
export interface ListenerLimits {
  /** A request head has this long to arrive, in ms. */
  readonly handshakeMs: number;
  /** A request has this long to arrive, its body included, and at least handshakeMs; in ms. @default 60000 */
  readonly requestMs?: number;
  /** Longest request target, in bytes. */
  readonly maxUrlBytes: number;
  /** A connection has this long to take its last answer, in ms. */
  readonly closeDeadlineMs: number;
}

/** The limits on TCP connections. */
export interface RawSocketLimits {
  readonly maxRawSockets: number;
  /** For each TCP peer, an IPv6 /64 being one. */
  readonly maxRawSocketsPerIp: number;
}

/** The limits that the budget of plain requests derives from. */
export interface PlainRequestLimits {
  /** Length of a window, in ms. */
  readonly admissionWindowMs: number;
  readonly maxAdmissionsPerIp: number;
  /** Most windows kept at once; at least 1. */
  readonly maxAdmissionEntries: number;
}
