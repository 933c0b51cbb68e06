import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { PartialMessages } from './partial-messages.ts';
import type { ReadingGate } from './reading-gate.ts';
import type { StreamError } from './stream-error.ts';

/** What streams have from the tunnel they are in. */
export interface StreamContext {
  readonly outbox: Outbox;
  readonly gate: ReadingGate;
  readonly partialMessages: PartialMessages;
  /** A stream is over: frames for it are late from now on. */
  forget(streamId: number): void;
  /** Sends StreamAbort, for a stream that has nothing else to send any more. */
  sendAbort(streamId: number, reason: string): void;
  /** Calls code that is not the tunnel's. @returns `false` when it threw, which is reported as the bug it is */
  attempt(act: () => void): boolean;
}

/** A stream, as the tunnel sees it while it is open. */
export interface MuxStream {
  /** A frame came for it, of a known type, and fragmented only where that is allowed. */
  receive(frame: TunnelFrame): void;
  /** The peer broke the rules on this stream: StreamAbort. */
  violate(reason: string): void;
  /** The channel ended. */
  break(error: StreamError): void;
}
