import { type Clock, MAX_MESSAGE_BYTES } from '@openchambery/tunnel';
import { WebSocket } from 'ws';
import { connectOptions } from '../origin/origin-client.ts';
import type { Origin } from '../origin/origin.ts';

/** What of a WebSocket's opening goes to the origin. */
export interface SocketHead {
  /** Path and query, in ASCII. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In order of preference; each a token, none twice. */
  readonly protocols: readonly string[];
}

/** What came of it: an open WebSocket, or why there is none, for the Client. */
export type Dialled =
  | { readonly isOpen: true; readonly socket: WebSocket }
  | { readonly isOpen: false; readonly reason: string };

/** What a dial needs. */
export interface DialParts {
  readonly origin: Origin;
  readonly clock: Clock;
  /** How long the origin may take to answer, in ms. */
  readonly timeoutMs: number;
  /** Aborted: nobody wants the WebSocket any more. */
  readonly signal: AbortSignal;
}

/** Opens a WebSocket to the origin. Messages may arrive in the turn after it resolved, so it comes paused. */
export function dialOrigin(head: SocketHead, parts: DialParts): Promise<Dialled> {
  const { origin, clock, timeoutMs, signal } = parts;
  const { promise, resolve } = Promise.withResolvers<Dialled>();
  const url = origin.href.replace(/^http/, 'ws') + head.target;
  const socket = new WebSocket(url, [...head.protocols], {
    ...connectOptions(origin),
    headers: head.headers,
    origin: origin.href,
    // Compression would be undone at once; the way is through memory.
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const giveUp = () => socket.terminate();
  const timer = clock.setTimer(() => fail('origin_timeout'), timeoutMs);
  const settle = (dialled: Dialled) => {
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
    resolve(dialled);
  };
  const fail = (reason: string) => {
    settle({ isOpen: false, reason });
    giveUp();
  };
  signal.addEventListener('abort', giveUp);
  socket.on('open', () => {
    socket.pause();
    settle({ isOpen: true, socket });
  });
  socket.on('unexpected-response', (request, response) => {
    settle({ isOpen: false, reason: `origin refused the WebSocket: HTTP ${response.statusCode}` });
    request.destroy();
  });
  // Stays: an error after the opening is followed by the close, which tells the rest.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const isUnreachable = error.syscall === 'connect' || error instanceof AggregateError;
    settle({ isOpen: false, reason: isUnreachable ? 'origin_unreachable' : 'bad_gateway' });
  });
  return promise;
}
