/** Why something could not be done through the tunnel. */
export type RelayClientErrorCode =
  /** The relay cannot be reached, or it let go again before the Host had answered. */
  | 'ERR_RELAY_CLIENT_UNREACHABLE'
  /** The relay knows no such Host at the moment (4008). */
  | 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE'
  /** The relay refused for good (4002, 4010, 4029): its reason is in `reason`. */
  | 'ERR_RELAY_CLIENT_REFUSED'
  /** The Host does not answer, or not with the key that the pairing names. */
  | 'ERR_RELAY_CLIENT_HANDSHAKE'
  /** The connection broke while the request was under way. */
  | 'ERR_RELAY_CLIENT_CONNECTION_LOST'
  /** No connection came about in time, and no attempt has failed in a way that says more. */
  | 'ERR_RELAY_CLIENT_CONNECT_TIMEOUT'
  /** The Host gave up on this request. */
  | 'ERR_RELAY_CLIENT_ABORTED_BY_HOST'
  /** A redirect led out of the tunnel, was not wanted, or there were too many. */
  | 'ERR_RELAY_CLIENT_REDIRECT'
  /** The answer was not read for too long, and held up everything else. */
  | 'ERR_RELAY_CLIENT_READER_STALLED'
  /** The Client was closed. */
  | 'ERR_RELAY_CLIENT_CLOSED';

/** What is known of a failure. */
export interface RelayClientErrorFacts {
  /** Close code of the relay, if it came to that. */
  readonly closeCode?: number | undefined;
  /** The relay's or Host's own words. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/** A failure of the way to the Host; answers of the origin are responses, whatever their status. */
export class RelayClientError extends Error {
  override readonly name = 'RelayClientError';
  readonly code: RelayClientErrorCode;
  readonly closeCode: number | undefined;
  readonly reason: string | undefined;

  constructor(code: RelayClientErrorCode, message: string, facts: RelayClientErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.closeCode = facts.closeCode;
    this.reason = facts.reason;
  }

  /** Whether trying again without a change is pointless. */
  get isTerminal(): boolean {
    return this.code === 'ERR_RELAY_CLIENT_REFUSED' || this.code === 'ERR_RELAY_CLIENT_CLOSED';
  }
}

/** What everything fails with that is asked of a closed Client. */
export function closedError(): RelayClientError {
  return new RelayClientError('ERR_RELAY_CLIENT_CLOSED', 'the Client was closed');
}
