import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Connection } from '../fake-apns/connection.ts';
import type { Desk } from '../fake-apns/fake-service.ts';
import { ACCEPTED } from '../fake-apns/reaction.ts';
import type { Answer, Reaction } from '../fake-apns/reaction.ts';
import type { ReactionScript } from '../fake-apns/reaction-script.ts';
import type { OpenRecord, RecordedAnswer, RequestLog } from '../fake-apns/request-log.ts';
import { react } from '../fake-apns/respond.ts';
import type { AccessTokens } from './access-tokens.ts';
import { fcmAccepted, fcmError } from './fcm-answer.ts';
import { readMessage, refuseMessage } from './message-check.ts';

/** More than any message may have; what is beyond is counted and thrown away. */
const MAX_KEPT_BYTES = 32_768;

/** What a {@link MessageDesk} needs. */
export interface MessageDeskParts {
  readonly log: RequestLog;
  readonly script: ReactionScript;
  readonly tokens: AccessTokens;
  readonly projectId: string;
  readonly now: () => number;
}

/** Takes messages to their end: read, record, check as FCM does, then what the script says. */
export class MessageDesk implements Desk {
  readonly #parts: MessageDeskParts;
  readonly #timers = new Set<NodeJS.Timeout>();
  #messageCount = 0;

  constructor(parts: MessageDeskParts) {
    this.#parts = parts;
  }

  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void {
    connection.opened();
    stream.on('close', () => connection.closed());
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_KEPT_BYTES) chunks.push(chunk);
    });
    stream.on('end', () => {
      const json = parse(Buffer.concat(chunks));
      connection.requestCount += 1;
      const settle = this.#record(stream, connection, { headers, json, bytes });
      const reaction = this.#refuse(headers, json) ?? this.#next(readMessage(json).token);
      react({ stream, connection, apnsId: '', settle, after: (ms, task) => this.#after(ms, task) }, reaction);
    });
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** In the order in which Google looks: path, access token, message. */
  #refuse(headers: IncomingHttpHeaders, json: unknown): Answer | undefined {
    const { projectId, tokens } = this.#parts;
    if (headers[':method'] !== 'POST') return fcmError(405);
    if (headers[':path'] !== `/v1/projects/${projectId}/messages:send`) {
      return fcmError(404, { status: 'NOT_FOUND' });
    }
    if (!tokens.isGood(headers.authorization)) return fcmError(401, { status: 'UNAUTHENTICATED' });
    return refuseMessage(json);
  }

  #next(token: string): Reaction {
    const reaction = this.#parts.script.next(token);
    this.#messageCount += 1;
    return reaction === ACCEPTED ? fcmAccepted(this.#parts.projectId, this.#messageCount) : reaction;
  }

  #record(
    stream: ServerHttp2Stream,
    connection: Connection,
    { headers, json, bytes }: ArrivedMessage,
  ): (answer: RecordedAnswer) => void {
    const { log, now } = this.#parts;
    const { authorization: _authorization, ...others } = headers;
    const record: OpenRecord = {
      index: log.total,
      atMs: now(),
      sessionId: connection.id,
      streamId: stream.id ?? 0,
      token: readMessage(json).token,
      apnsId: '',
      headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
      jwt: undefined,
      payload: json,
      payloadBytes: bytes,
      answer: 'pending',
    };
    stream.on('close', () => {
      if (record.answer === 'pending') record.answer = { fault: 'client-gone' };
    });
    log.add(record);
    return (answer) => {
      record.answer = answer;
    };
  }

  #after(ms: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, ms);
    this.#timers.add(timer);
  }
}

interface ArrivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
  readonly bytes: number;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Whoever checks messages finds `undefined` to be none.
    return undefined;
  }
}
