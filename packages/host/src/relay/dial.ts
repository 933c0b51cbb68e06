import type { Clock } from '@openchambery/tunnel';
import type { ByteStream } from '@openchambery/tunnel/node';
import { WebSocket } from 'ws';
import { describeDialError, describeHttpAnswer } from './dial-fault.ts';

/** How long name look-up, TCP, TLS and the upgrade may take together, in ms. */
const DIAL_DEADLINE_MS = 10_000;

/** An open WebSocket to the relay. */
export interface RelaySocket {
  readonly socket: WebSocket;
  /** What is under it. */
  readonly stream: ByteStream | undefined;
}

/** What a dial tells, once. */
export interface DialListener {
  /** The upgrade was completed. Called while `open` is emitted: nothing has been read yet. */
  onOpen(connection: RelaySocket): void;
  /** There is no connection; `reason` is for people and says what they can do. */
  onFail(reason: string): void;
}

/** An upgrade under way. */
export interface Dial {
  /** Gives up: the listener hears nothing more. Harmless when it is over. */
  abort(): void;
}

/** Where to, and how much may come from there. */
export interface DialRequest {
  /** With the signed query; never to be logged. */
  readonly url: string;
  /** Most bytes in one message. */
  readonly maxPayload: number;
  readonly clock: Clock;
}

/** Opens a WebSocket to the relay. The listener hears of it asynchronously. */
export function dial(request: DialRequest, listener: DialListener): Dial {
  // No redirects: the signature would go wherever the answer points.
  const socket = new WebSocket(request.url, {
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: request.maxPayload,
    // What is text on this hop is parsed as JSON; whether it is UTF-8 shows there.
    skipUTF8Validation: true,
  });
  let isOver = false;
  const settle = (): boolean => {
    const isFirst = !isOver;
    isOver = true;
    deadline.cancel();
    return isFirst;
  };
  const fail = (reason: string): void => {
    if (!settle()) return;
    socket.terminate();
    listener.onFail(reason);
  };
  const deadline = request.clock.setTimer(
    () => fail(`the relay did not answer within ${DIAL_DEADLINE_MS / 1000} s`),
    DIAL_DEADLINE_MS,
  );
  let stream: ByteStream | undefined;
  socket.once('upgrade', (response) => {
    stream = response.socket;
  });
  socket.once('open', () => {
    if (settle()) listener.onOpen({ socket, stream });
  });
  socket.once('unexpected-response', (_request, response) => {
    fail(describeHttpAnswer(response.statusCode ?? 0, response.headers.location));
  });
  // Stays after `open` too: an error without a listener would end the process; `close` follows it and is told.
  socket.on('error', (error) => fail(describeDialError(error)));
  return {
    abort: () => {
      if (settle()) socket.terminate();
    },
  };
}
