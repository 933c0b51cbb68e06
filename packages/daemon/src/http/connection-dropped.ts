/** Why a TCP connection was destroyed without an answer. */
export type DropCause = 'raw-sockets' | 'raw-sockets-per-ip' | 'plain-rate' | 'pipelining';

/** A TCP connection was destroyed without an answer, because of a limit. */
export interface ConnectionDropped {
  readonly ip: string;
  readonly cause: DropCause;
  /** The limit, by name and value. */
  readonly detail: string;
}
