/** Why something of a Host could not be done. */
export type HostErrorCode =
  /** The Host was stopped before it was connected. */
  | 'ERR_HOST_STOPPED'
  /** The file of the Host's keys cannot be used; the message names it and says what to do. */
  | 'ERR_HOST_KEYS';

/** A failure of a Host that is not an option's. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
