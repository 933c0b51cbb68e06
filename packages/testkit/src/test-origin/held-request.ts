import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { withTimeout } from '../wait.ts';
import type { OriginRequest } from './recorded-request.ts';

/** A request to which the test is the program: answers, breaks off, or looks on. */
export class HeldRequest {
  readonly record: OriginRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Resolves when the connection is gone before the answer was complete: whoever asked gave up. */
  readonly #abandoned: Promise<void>;

  /** @internal The origin makes it. */
  constructor(record: OriginRequest, incoming: IncomingMessage, response: ServerResponse) {
    this.record = record;
    this.incoming = incoming;
    this.response = response;
    this.#abandoned = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
  }

  /** Resolves when whoever asked has given up. */
  abandoned(timeoutMs?: number): Promise<void> {
    return withTimeout(this.#abandoned, () => `${this.record.url} is still wanted`, timeoutMs);
  }

  /** Answers all at once. */
  answer(status: number, body: string | Buffer = '', headers: OutgoingHttpHeaders = {}): void {
    this.response.writeHead(status, headers);
    this.response.end(body);
  }

  /** Sends the head of an answer and waits with its body. */
  begin(status = 200, headers: OutgoingHttpHeaders = { 'content-type': 'application/octet-stream' }): void {
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  /** Sends a piece of the body; resolves when it may be followed by the next. */
  write(piece: string | Buffer): Promise<void> {
    if (this.response.write(piece)) return Promise.resolve();
    return new Promise((resolve) => this.response.once('drain', resolve));
  }

  end(piece?: string | Buffer): void {
    this.response.end(piece);
  }

  /** Breaks the connection off with an RST. */
  reset(): void {
    this.incoming.socket.resetAndDestroy();
  }
}

/** An open stream of server-sent events. */
export class EventStream extends HeldRequest {
  /** Sends one event. */
  push(data: string, event?: string): Promise<void> {
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    return this.write(`${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`);
  }

  /** Sends a comment, as servers do to keep connections open. */
  comment(text: string): Promise<void> {
    return this.write(`: ${text}\n\n`);
  }
}
