import { CONNECTION_ID_BYTES, encodeBase64url } from '@openchambery/protocol';

/** What it takes to name a connection. */
export interface ConnectionIdOptions {
  readonly randomBytes: (size: number) => Buffer;
  readonly attempts: number;
  readonly isTaken: (connectionId: string) => boolean;
}

/** A fresh random connection id, or undefined when every attempt gave one that is taken. */
export function createConnectionId(options: ConnectionIdOptions): string | undefined {
  for (let attempt = 0; attempt < options.attempts; attempt++) {
    const connectionId = encodeBase64url(options.randomBytes(CONNECTION_ID_BYTES));
    if (!options.isTaken(connectionId)) return connectionId;
  }
  return undefined;
}
