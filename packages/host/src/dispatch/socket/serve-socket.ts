import type { Clock, HostSocketStream } from '@openchambery/tunnel';
import { socketHeaders } from '../headers/request-headers.ts';
import type { Origin } from '../origin/origin.ts';
import { dialOrigin } from './dial-origin.ts';
import { joinSockets } from './join-sockets.ts';

/** What a WebSocket needs on its way to the origin. */
export interface SocketParts {
  readonly origin: Origin;
  readonly clock: Clock;
  /** How long the origin may take to open it, in ms. */
  readonly timeoutMs: number;
}

/** RFC 9110 section 5.6.2: token. */
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Opens an admitted WebSocket at the origin and joins it to the stream, which is accepted no sooner. Resolves to why it
 * did not come about, for the Client; `undefined`: it is open, or nobody wants it any more.
 */
export async function serveSocket(
  stream: HostSocketStream,
  head: { readonly target: string; readonly headers: Readonly<Record<string, string>> },
  { origin, clock, timeoutMs }: SocketParts,
): Promise<string | undefined> {
  const protocols = stream.request.protocols ?? [];
  if (!protocols.every((name) => PROTOCOL.test(name)) || new Set(protocols).size < protocols.length) {
    return 'invalid_protocols';
  }
  const { signal } = stream;
  // While the policy thought about it.
  if (signal.aborted) {
    return undefined;
  }
  const dialled = await dialOrigin(
    { target: head.target, headers: socketHeaders(head.headers), protocols },
    { origin, clock, timeoutMs, signal },
  );
  if (!dialled.isOpen) {
    return signal.aborted ? undefined : dialled.reason;
  }
  if (signal.aborted) {
    dialled.socket.terminate();
    return undefined;
  }
  joinSockets(stream, dialled.socket);
  return undefined;
}
