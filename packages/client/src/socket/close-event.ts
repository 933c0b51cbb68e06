/** What a close event tells. */
export interface CloseFacts {
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;
}

/** Node has CloseEvent since version 23. */
class OwnCloseEvent extends Event implements CloseFacts {
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;

  constructor(facts: CloseFacts) {
    super('close');
    this.code = facts.code;
    this.reason = facts.reason;
    this.wasClean = facts.wasClean;
  }
}

/** A `close` event: the platform's own, or one like it. @param Native @default the platform's */
export function createCloseEvent(
  facts: CloseFacts,
  Native: typeof CloseEvent | undefined = globalThis.CloseEvent,
): Event & CloseFacts {
  return Native === undefined ? new OwnCloseEvent(facts) : new Native('close', facts);
}
