import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Called with each request head; says how the parser goes on. */
type OnIncoming = (request: IncomingMessage, shouldKeepAlive: boolean) => number;

/** Where Node's parser keeps what it calls with each piece of a body. */
const ON_BODY = 3;

interface ParsedSocket {
  readonly parser?: { onIncoming?: OnIncoming | null; [ON_BODY]?: unknown } | null;
}

/** Decides on what a parser reads. */
export interface ParserGuard {
  /** Asked before Node makes anything of a request; after a "no", nothing more is read. */
  mayAnswer(socket: Socket): boolean;
  /** Asked once a request is answered: whether what follows is not to be read. */
  isOver(socket: Socket): boolean;
}

/** Makes the parser take what follows for another protocol: it reads no further, in the middle of a chunk even. */
const READ_NO_FURTHER = 2;

/**
 * Lets Node's parser stop in the middle of what it has read.
 *
 * One read of 64 KiB holds 2 400 requests, or 11 000 pieces of a chunked body, and Node handles them all in one go,
 * 250 ms of it in which nobody else is served. Destroying the socket or pausing the parser in between changes
 * nothing: only what the parser's `onIncoming` returns does. That is not documented; where it is missing, all is
 * handled as Node likes.
 */
export function guardParser(socket: Socket, guard: ParserGuard): void {
  const { parser } = socket as Socket & ParsedSocket;
  const onIncoming = parser?.onIncoming;
  if (parser === undefined || parser === null || typeof onIncoming !== 'function') return;
  parser.onIncoming = (request, shouldKeepAlive) => {
    if (guard.mayAnswer(socket)) {
      const verdict = onIncoming(request, shouldKeepAlive);
      return socket.destroyed || guard.isOver(socket) ? READ_NO_FURTHER : verdict;
    }
    // Or Node would go on to the upgrade.
    (request as IncomingMessage & { upgrade: boolean }).upgrade = false;
    return READ_NO_FURTHER;
  };
}

/**
 * Makes the parser skip the pieces of a body, in the middle of what it has read even: each costs a tenth then.
 * Parsers are used again: the function returned undoes it, and must be called before another connection gets this one.
 */
export function ignoreBody(socket: Socket): () => void {
  const { parser } = socket as Socket & ParsedSocket;
  const onBody = parser?.[ON_BODY];
  if (parser === undefined || parser === null || typeof onBody !== 'function') return () => undefined;
  parser[ON_BODY] = null;
  return () => {
    parser[ON_BODY] = onBody;
  };
}
