import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Connection } from './connection.ts';
import type { FakeApnsOptions } from './options.ts';
import { ProviderTokenCheck } from './provider-token.ts';
import type { ProviderToken } from './provider-token.ts';
import type { Answer, Reaction } from './reaction.ts';
import type { ReactionScript } from './reaction-script.ts';
import { refuseHeaders, refusePayload, refuseTarget, tokenOfPath } from './request-check.ts';
import type { OpenRecord, RecordedAnswer, RequestLog } from './request-log.ts';
import { react } from './respond.ts';

/** More than any payload may have; what is beyond is counted and thrown away. */
const MAX_KEPT_BYTES = 16_384;

interface Body {
  readonly payload: unknown;
  readonly bytes: number;
}

/** Takes requests to their end: read, record, check, then what the script says. */
export class RequestDesk {
  readonly #log: RequestLog;
  readonly #script: ReactionScript;
  readonly #tokens: ProviderTokenCheck;
  readonly #isStrict: boolean;
  readonly #topics: ReadonlySet<string> | undefined;
  readonly #now: () => number;
  readonly #onSettled: FakeApnsOptions['onSettled'];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #after = (ms: number, task: () => void): void => this.#setTimer(ms, task);

  constructor(options: FakeApnsOptions, log: RequestLog, script: ReactionScript) {
    this.#log = log;
    this.#script = script;
    this.#isStrict = options.keys !== undefined;
    this.#tokens = new ProviderTokenCheck(options.keys ?? [], options.strictTokenUpdates ?? false);
    this.#topics = options.topics === undefined ? undefined : new Set(options.topics);
    this.#now = options.now ?? Date.now;
    this.#onSettled = options.onSettled;
  }

  /** Reads the request and sees to it that something happens to it. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void {
    connection.opened();
    stream.on('close', () => connection.closed());
    let kept = '';
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_KEPT_BYTES) kept += chunk.toString('latin1');
    });
    stream.on('end', () => {
      const payload = this.#isStrict || this.#log.isOn ? parse(kept) : undefined;
      this.#handle({ stream, headers, connection }, { payload, bytes });
    });
  }

  /** Forgets answers that are still to come. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #handle(request: ArrivedRequest, body: Body): void {
    const { stream, headers, connection } = request;
    connection.requestCount += 1;
    const token = tokenOfPath(headers[':path'] ?? '') ?? '';
    const apnsId = textOf(headers['apns-id']) ?? randomUUID().toUpperCase();
    const jwt = this.#tokens.read(headers.authorization);
    const settle = this.#log.isOn ? this.#record(request, { token, apnsId, jwt, ...body }) : ignore;
    const reaction: Reaction =
      (this.#isStrict ? this.#refuse(headers, jwt, body) : undefined) ?? this.#script.next(token);
    react({ stream, connection, apnsId, settle, after: this.#after }, reaction);
  }

  /** In the order in which Apple is seen to look: target, provider token, headers, payload. */
  #refuse(headers: IncomingHttpHeaders, jwt: ProviderToken | undefined, body: Body): Answer | undefined {
    return (
      refuseTarget(headers) ??
      this.#tokens.refuse(jwt, headers.authorization ?? '', this.#now()) ??
      refuseHeaders(headers, this.#topics) ??
      refusePayload(body.payload, body.bytes, headers['apns-push-type'])
    );
  }

  #record(
    { stream, headers, connection }: ArrivedRequest,
    read: ReadRequest,
  ): (answer: RecordedAnswer) => void {
    const record: OpenRecord = {
      index: this.#log.total,
      atMs: this.#now(),
      sessionId: connection.id,
      streamId: stream.id ?? 0,
      token: read.token,
      apnsId: read.apnsId,
      headers: plain(headers),
      jwt: read.jwt,
      payload: read.payload,
      payloadBytes: read.bytes,
      answer: 'pending',
    };
    const settle = (answer: RecordedAnswer): void => {
      record.answer = answer;
      this.#onSettled?.(record);
    };
    stream.on('close', () => {
      if (record.answer === 'pending') settle({ fault: 'client-gone' });
    });
    this.#log.add(record);
    return settle;
  }

  #setTimer(ms: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, ms);
    this.#timers.add(timer);
  }
}

interface ArrivedRequest {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: Connection;
}

interface ReadRequest extends Body {
  readonly token: string;
  readonly apnsId: string;
  readonly jwt: ProviderToken | undefined;
}

function ignore(): void {
  // Nothing is recorded, so nobody asks what became of it.
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (name !== 'authorization') result[name] = textOf(headers[name]) ?? '';
  }
  return result;
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

/** `bytes` is one character per byte, so that a character cut by a frame comes out whole. */
function parse(bytes: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
  } catch {
    // Whoever checks payloads finds `undefined` to be none.
    return undefined;
  }
}
