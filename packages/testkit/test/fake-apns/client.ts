import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:http2';
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
  Settings,
} from 'node:http2';
import { onTestFinished } from 'vitest';
import { startFakeApns } from '../../src/index.ts';
import type { ApnsKey, FakeApns, FakeApnsOptions } from '../../src/index.ts';

export const TOKEN = 'ab'.repeat(32);
export const TOPIC = 'com.example.app';

/** What a client of node:http2 saw of a request. */
export interface Outcome {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The `code` of the error event. */
  readonly error: string | undefined;
  readonly rstCode: number | undefined;
  readonly streamId: number | undefined;
}

export interface Push {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A fake that ends with the test. */
export async function start(options: FakeApnsOptions = {}): Promise<FakeApns> {
  const apns = await startFakeApns(options);
  onTestFinished(() => apns.close());
  return apns;
}

/** A connection to `apns` that ends with the test and counts its errors in place of throwing them. */
export class Client {
  readonly session: ClientHttp2Session;
  readonly errors: string[] = [];
  /** Node answers GOAWAY with GOAWAY on either side, so that a second one, without data, may follow. */
  readonly goAways: { code: number; lastStreamId: number; data: string }[] = [];
  /** Resolves when the session has closed, with or without an error. */
  readonly closed: Promise<void>;

  constructor(apns: FakeApns) {
    this.session = connect(apns.url, { ca: apns.caPem });
    this.session.on('error', (error) => this.errors.push(codeOf(error)));
    this.closed = new Promise((resolve) => void this.session.on('close', () => resolve()));
    this.session.on('goaway', (code, lastStreamId, data) => {
      this.goAways.push({ code, lastStreamId, data: data?.toString() ?? '' });
    });
    onTestFinished(() => this.session.destroy());
  }

  /** Opens a stream and sends the whole request. */
  open({ token = TOKEN, headers = {}, body = '{"aps":{}}' }: Push = {}): ClientHttp2Stream {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      'apns-topic': TOPIC,
      ...headers,
    });
    stream.end(body);
    return stream;
  }

  /** Sends a request and resolves when its stream has closed, however it did. */
  push(push: Push = {}): Promise<Outcome> {
    return outcomeOf(this.open(push));
  }

  /** The stream limit of the next SETTINGS frame. */
  async nextLimit(): Promise<number | undefined> {
    const [settings] = (await once(this.session, 'remoteSettings')) as [Settings];
    return settings.maxConcurrentStreams;
  }

  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.session.ping((error) => (error === null ? resolve() : reject(error)));
    });
  }
}

/** Resolves when the stream has closed, however it did. */
export function outcomeOf(stream: ClientHttp2Stream): Promise<Outcome> {
  let headers: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  let body = '';
  let error: string | undefined;
  stream.setEncoding('utf8');
  stream.on('response', (received) => (headers = received));
  stream.on('data', (chunk: string) => (body += chunk));
  stream.on('error', (cause) => (error = codeOf(cause)));
  return new Promise((resolve) => {
    stream.on('close', () => {
      const { rstCode, id: streamId } = stream;
      resolve({ status: headers[':status'], headers, body, error, rstCode, streamId });
    });
  });
}

export interface JwtParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The value of an `authorization` header, issued at `iatMs`. */
export function bearer(key: ApnsKey, iatMs: number, { header, claims }: JwtParts = {}): string {
  const parts = [
    { alg: 'ES256', kid: key.keyId, ...header },
    { iss: key.teamId, iat: Math.floor(iatMs / 1000), ...claims },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const privateKey = createPrivateKey(key.p8);
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `bearer ${text}.${signature.toString('base64url')}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
