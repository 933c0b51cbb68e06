import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '@openchambery/tunnel';
import { REFUSAL, type Refusal } from '../refusal.ts';

/** What came of a request at the origin. */
export type OriginAnswer =
  | { readonly kind: 'response'; readonly response: IncomingMessage }
  /** A kept connection was closed by the origin before it saw the request. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly refusal: Refusal };

/** A wait for an origin's answer. */
export interface AnswerWait {
  readonly answer: Promise<OriginAnswer>;
  /** The origin has taken something: it gets the whole time again. */
  restartTimer(): void;
}

/** Waits for the head of a response, at most `timeoutMs` from the last sign that the origin is at work. */
export function awaitAnswer(request: ClientRequest, clock: Clock, timeoutMs: number): AnswerWait {
  const { promise, resolve } = Promise.withResolvers<OriginAnswer>();
  let lastProgressAt = clock.monotonicMs();
  const onTime = () => {
    const leftMs = lastProgressAt + timeoutMs - clock.monotonicMs();
    if (leftMs > 0) {
      timer = clock.setTimer(onTime, leftMs);
      return;
    }
    resolve({ kind: 'failed', refusal: REFUSAL.originTimeout });
    request.destroy();
  };
  let timer = clock.setTimer(onTime, timeoutMs);
  request.on('response', (response) => {
    timer.cancel();
    resolve({ kind: 'response', response });
  });
  // RFC 9110 section 15.2.2: nobody has asked for a change of protocol.
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    resolve({ kind: 'failed', refusal: REFUSAL.badGateway });
  });
  // Stays for as long as the request: what comes after the head is seen by whoever reads the body.
  request.on('error', (error: NodeJS.ErrnoException) => {
    resolve(judge(error, request));
  });
  request.on('close', () => {
    timer.cancel();
    resolve({ kind: 'failed', refusal: REFUSAL.badGateway });
  });
  return {
    answer: promise,
    restartTimer: () => {
      lastProgressAt = clock.monotonicMs();
    },
  };
}

function judge(error: NodeJS.ErrnoException, request: ClientRequest): OriginAnswer {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return { kind: 'failed', refusal: REFUSAL.responseHeadersTooLarge };
  }
  if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
    return { kind: 'stale' };
  }
  // A name has two addresses, and an error for each of them.
  const isUnreachable = error.syscall === 'connect' || error instanceof AggregateError;
  return { kind: 'failed', refusal: isUnreachable ? REFUSAL.originUnreachable : REFUSAL.badGateway };
}
