import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { withTimeout } from './wait.ts';

export interface RawSocketOptions {
  readonly port: number;
  /** @default 127.0.0.1 */
  readonly host?: string | undefined;
  readonly localAddress?: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the other side ended the stream: an orderly FIN, or a reset. */
export type StreamEnd = 'fin' | 'reset';

interface Parsed<T> {
  readonly value: T;
  readonly usedBytes: number;
}

interface Reader {
  readonly attempt: () => boolean;
  readonly fail: (why: string) => void;
}

/** A TCP connection on which a test decides every byte. */
export class RawSocket {
  readonly socket: Socket;
  /** Bytes received so far, kept or not. */
  receivedBytes = 0;
  /** When set, received bytes are counted and forgotten. */
  discarding = false;
  #received: Buffer[] = [];
  #readers: Reader[] = [];
  #end: StreamEnd | undefined;
  #reset = false;
  readonly #ended: Promise<StreamEnd>;

  constructor(options: RawSocketOptions) {
    const { port, host = '127.0.0.1', localAddress } = options;
    this.socket = connect({
      port,
      host,
      allowHalfOpen: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.#receive(chunk));
    // ECONNRESET and EPIPE both mean that the relay has cut the connection; ended() reports it.
    this.socket.on('error', () => (this.#reset = true));
    this.#ended = new Promise((resolve) => {
      const finish = (): void => {
        this.#end ??= this.#reset ? 'reset' : 'fin';
        for (const reader of this.#readers.splice(0)) reader.fail(`the stream ended (${this.#end})`);
        resolve(this.#end);
      };
      this.socket.once('end', finish);
      this.socket.once('close', finish);
    });
  }

  /** A connection that the kernel has established; the relay may still drop it. */
  static async connect(options: RawSocketOptions): Promise<RawSocket> {
    const raw = new RawSocket(options);
    const connected = new Promise<void>((resolve, reject) => {
      raw.socket.once('connect', resolve);
      raw.socket.once('error', reject);
    });
    await withTimeout(connected, () => 'the TCP connection is not established');
    return raw;
  }

  /** Whether the other side has ended the stream. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Writes; resolves when the kernel has taken it, also when the connection is gone by then. */
  write(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(data, () => resolve());
    });
  }

  /** Resolves when the other side has ended the stream, with how. Needs a socket that reads. */
  ended(timeoutMs?: number): Promise<StreamEnd> {
    return withTimeout(this.#ended, () => `the stream is still open; got ${this.#recount()}`, timeoutMs);
  }

  /** The next HTTP response; its body by content-length, else none. */
  response(timeoutMs?: number): Promise<HttpResponse> {
    return this.read('an HTTP response', parseResponse, timeoutMs);
  }

  /** The next HTTP response to a HEAD or an upgrade: head only, whatever content-length says. */
  responseHead(timeoutMs?: number): Promise<HttpResponse> {
    return this.read('an HTTP response head', parseResponseHead, timeoutMs);
  }

  /** The value that `parse` finds at the front of what arrived; it answers undefined while bytes are missing. */
  read<T>(what: string, parse: (bytes: Buffer) => Parsed<T> | undefined, timeoutMs?: number): Promise<T> {
    const found = new Promise<T>((resolve, reject) => {
      const attempt = (): boolean => {
        const parsed = parse(this.unread());
        if (parsed === undefined) return false;
        this.#received = [this.unread().subarray(parsed.usedBytes)];
        resolve(parsed.value);
        return true;
      };
      const fail = (why: string): void => {
        reject(new Error(`no ${what}: ${why}; got ${this.#recount()}`));
      };
      if (this.#readers.length > 0) this.#readers.push({ attempt, fail });
      else if (!attempt()) {
        if (this.isEnded) fail(`the stream ended (${this.#end})`);
        else this.#readers.push({ attempt, fail });
      }
    });
    return withTimeout(found, () => `no ${what}; got ${this.#recount()}`, timeoutMs);
  }

  /** What arrived and was not read. */
  unread(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] ?? Buffer.alloc(0);
  }

  /** Stops reading, so that TCP pushes back. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Sends FIN and keeps reading. */
  halfClose(): void {
    this.socket.end();
  }

  /** Sends RST. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Closes the connection from this side. */
  destroy(): void {
    this.socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.discarding) return;
    this.#received.push(chunk);
    while (this.#readers[0]?.attempt() === true) this.#readers.shift();
  }

  #recount(): string {
    const bytes = this.unread();
    return `${this.receivedBytes} bytes, unread: ${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}`;
  }
}

function parseResponseHead(bytes: Buffer): Parsed<HttpResponse> | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const status = Number(statusLine.split(' ')[1]);
  return { value: { status, headers, body: '' }, usedBytes: end + 4 };
}

function parseResponse(bytes: Buffer): Parsed<HttpResponse> | undefined {
  const head = parseResponseHead(bytes);
  if (head === undefined) return undefined;
  const length = Number(head.value.headers['content-length'] ?? '0');
  const usedBytes = head.usedBytes + length;
  if (bytes.length < usedBytes) return undefined;
  const body = bytes.subarray(head.usedBytes, usedBytes).toString();
  return { value: { ...head.value, body }, usedBytes };
}
