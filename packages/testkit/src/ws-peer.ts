import { WebSocket } from 'ws';
import { Inbox } from './inbox.ts';
import { withTimeout } from './wait.ts';

/** How a socket ended; 1006 means without a close frame. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

export interface PeerMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

export interface PeerOptions {
  /** Local address to connect from, such as 127.0.0.2: another client IP for the relay. */
  readonly localAddress?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether pings are answered. @default true */
  readonly autoPong?: boolean | undefined;
}

/** A WebSocket of the `ws` library whose events can be awaited. */
export class Peer {
  readonly socket: WebSocket;
  readonly messages: Inbox<PeerMessage>;
  readonly pongs: Inbox<Buffer>;
  /** Payloads of the pings that arrived. */
  readonly pings: Buffer[] = [];
  readonly #name: string;
  readonly #opened: Promise<void>;
  readonly #closed: Promise<CloseInfo>;
  #failure = '';

  constructor(name: string, url: string, options: PeerOptions = {}) {
    this.#name = name;
    this.messages = new Inbox(`messages of ${name}`, describeMessage);
    this.pongs = new Inbox(`pongs of ${name}`, (payload) => payload.toString('hex'));
    this.socket = openSocket(url, options);
    this.socket.on('message', (data, isBinary) => this.messages.push({ data: data as Buffer, isBinary }));
    this.socket.on('ping', (payload) => this.pings.push(payload));
    this.socket.on('pong', (payload) => this.pongs.push(payload));
    this.socket.on('error', (error) => (this.#failure = ` (${error.message})`));
    this.#closed = new Promise((resolve) => {
      this.socket.once('close', (code, bytes) => {
        const reason = bytes.toString();
        const why = `closed ${code} "${reason}"${this.#failure}`;
        this.messages.end(why);
        this.pongs.end(why);
        resolve({ code, reason });
      });
    });
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('close', () => reject(new Error(`${name} did not open${this.#failure}`)));
    });
    this.#opened.catch(() => 'reported to whoever awaits opened()');
  }

  /** Resolves when the handshake is done. A refused upgrade opens too: the refusal is a close. */
  async opened(): Promise<this> {
    await withTimeout(this.#opened, () => `${this.#name} has not opened${this.#failure}`);
    return this;
  }

  /** Resolves when the socket is gone. */
  closed(timeoutMs?: number): Promise<CloseInfo> {
    return withTimeout(
      this.#closed,
      () => `${this.#name} is not closed${this.#failure}; ${this.messages.recount()}`,
      timeoutMs,
    );
  }

  /** The next message. */
  message(timeoutMs?: number): Promise<PeerMessage> {
    return this.messages.take(timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** The next message, which must be text. */
  async text(timeoutMs?: number): Promise<string> {
    const { data, isBinary } = await this.message(timeoutMs);
    if (isBinary) throw new Error(`expected text, got binary; ${this.messages.recount()}`);
    return data.toString();
  }

  /** Sends a string as text, a buffer as binary; resolves when the kernel has taken it. Need not be awaited. */
  send(data: string | Buffer, options: { binary?: boolean; fin?: boolean } = {}): Promise<void> {
    const { binary = typeof data !== 'string', fin = true } = options;
    const sent = new Promise<void>((resolve, reject) => {
      this.socket.send(data, { binary, fin }, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    sent.catch(() => 'reported to whoever awaits it; that the socket is closed shows elsewhere');
    return sent;
  }

  /** Sends a ping and waits for its pong: what was sent before has then been read by the relay. */
  async roundTrip(timeoutMs?: number): Promise<void> {
    const payload = Buffer.from(`rt-${roundTrips++}`);
    this.socket.ping(payload);
    await this.pongs.take({
      matches: (pong) => pong.equals(payload),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  close(code?: number, reason?: string): void {
    this.socket.close(code, reason);
  }

  /** Cuts the TCP connection without a close frame. */
  terminate(): void {
    this.socket.terminate();
  }

  /** Stops reading, so that TCP pushes back on the relay. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}

let roundTrips = 0;

/** Resolves with code and reason when `peer` is gone. */
export function closed(peer: Peer, timeoutMs?: number): Promise<CloseInfo> {
  return peer.closed(timeoutMs);
}

function openSocket(url: string, options: PeerOptions): WebSocket {
  const { localAddress, headers, autoPong = true } = options;
  return new WebSocket(url, {
    autoPong,
    perMessageDeflate: false,
    // Tests look at bytes that need not be UTF-8, and at sizes over the relay's limit.
    skipUTF8Validation: true,
    maxPayload: 0,
    handshakeTimeout: 15_000,
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(headers === undefined ? {} : { headers }),
  });
}

function describeMessage({ data, isBinary }: PeerMessage): string {
  if (isBinary) return `binary of ${data.length} bytes`;
  return data.length > 120 ? `text of ${data.length} bytes` : `text ${JSON.stringify(data.toString())}`;
}
