import type { HostHttpStream, HostSocketStream } from '@openchambery/tunnel';

/** A request or WebSocket that came to nothing, for people: no header, payload or secret. */
export interface DispatchFailure {
  /** As the Client wrote it, without the query. */
  readonly path: string;
  readonly error: string;
}

/** What a stream's way to the target has to know of the Client that opened it. */
export interface DispatchContext {
  readonly connectionId: string;
  /** A request was refused by the policy, or failed at the origin. */
  report(failure: DispatchFailure): void;
}

/** Takes the streams of Clients to the target. Called synchronously; must not throw. */
export interface StreamDispatcher {
  onRequest(stream: HostHttpStream, context: DispatchContext): void;
  onSocket(stream: HostSocketStream, context: DispatchContext): void;
  /** The Host stops: connections to the origin that are kept for reuse are closed. Streams end with their channels. */
  close(): void;
}
