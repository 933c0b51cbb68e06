import { constants } from 'node:http2';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Connection } from './connection.ts';
import { ACCEPTED } from './reaction.ts';
import type { Answer, Fault, Reaction } from './reaction.ts';
import type { RecordedAnswer } from './request-log.ts';

const FIRST_STREAM = 1;

/** A request that waits for its answer. */
export interface Exchange {
  readonly stream: ServerHttp2Stream;
  readonly connection: Connection;
  readonly apnsId: string;
  /** Told once what became of the request. */
  readonly settle: (answer: RecordedAnswer) => void;
  /** Runs `task` after `ms`, unless the server closes before. */
  readonly after: (ms: number, task: () => void) => void;
}

/** Does to the request what `reaction` says. */
export function react(exchange: Exchange, reaction: Reaction): void {
  if ('pass' in reaction) {
    reaction.pass((released) => react(exchange, released));
    return;
  }
  const { delayMs = 0 } = reaction;
  const act = (): void => {
    if ('fault' in reaction) fail(exchange, reaction);
    else respond(exchange, reaction);
  };
  if (delayMs > 0) exchange.after(delayMs, act);
  else act();
}

function respond(exchange: Exchange, answer: Answer): void {
  const { stream, connection, apnsId } = exchange;
  if (connection.isBlackHole || stream.destroyed || stream.closed || stream.headersSent) return;
  const { status, reason } = answer;
  if (status === 200) connection.prove();
  const headers: OutgoingHttpHeaders = { ':status': status, 'apns-id': apnsId };
  if (answer.retryAfter !== undefined) headers['retry-after'] = String(answer.retryAfter);
  const body = bodyOf(answer);
  if (body !== undefined && answer.body === undefined) headers['content-type'] = 'application/json';
  if (answer.headers !== undefined) Object.assign(headers, answer.headers);
  exchange.settle(reason === undefined ? { status } : { status, reason });
  stream.respond(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
}

function bodyOf({ status, reason, timestampMs: timestamp, body }: Answer): string | Uint8Array | undefined {
  if (body !== undefined) return body;
  if (status === 200 && reason === undefined) return undefined;
  return JSON.stringify({ reason, timestamp });
}

function fail(exchange: Exchange, fault: Fault): void {
  const { stream, connection } = exchange;
  if (connection.isBlackHole || stream.destroyed) return;
  if (fault.fault === 'goaway') {
    goAway(exchange, fault);
    return;
  }
  exchange.settle({ fault: fault.fault });
  switch (fault.fault) {
    case 'rst-stream':
      stream.close(fault.code);
      return;
    case 'tcp-reset':
      connection.resetTcp();
      return;
    case 'tcp-fin':
      connection.finTcp();
      return;
    case 'black-hole':
      connection.enterBlackHole();
      return;
    case 'silence':
      return;
  }
}

function goAway(exchange: Exchange, fault: Extract<Fault, { fault: 'goaway' }>): void {
  const { stream, connection } = exchange;
  const { code = 0, lastStream = 'at', reason = 'Shutdown', answer = ACCEPTED } = fault;
  const id = stream.id ?? FIRST_STREAM;
  // Streams of clients have odd numbers (RFC 9113 §5.1.1): two below is the one before.
  const last = lastStream === 'at' ? id : Math.max(id - 2, FIRST_STREAM);
  connection.goAway(code, last, reason);
  if (code === 0 && lastStream === 'at') {
    react(exchange, answer);
    return;
  }
  exchange.settle({ fault: 'goaway' });
  if (code === 0 && last === id) stream.close(constants.NGHTTP2_REFUSED_STREAM);
}
