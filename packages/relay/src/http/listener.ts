import type http from 'node:http';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import type { RelayLimits } from '../limits.ts';
import type { RawSocketLimiter } from './raw-socket-limiter.ts';

// An import statement would touch every export, and some of them load Node's fetch: 7 MB and 100 ms for nothing.
const { createServer } = createRequire(import.meta.url)('node:http') as Pick<typeof http, 'createServer'>;

/** Room for the other headers of a request beside its target, in bytes. */
const OTHER_HEADERS_BYTES = 16_384;
/** An idle keep-alive connection; proxies keep theirs 60 to 90 s, and must be the first to let go. In ms. */
const KEEP_ALIVE_MS = 125_000;
/** A request body has this long to arrive; the relay itself wants none. In ms. */
const REQUEST_MS = 60_000;
/** Bounds of how often Node looks for slow request heads, in ms. */
const MIN_CHECK_MS = 25;
const MAX_CHECK_MS = 1000;

/** What the listener hands on. */
export interface ListenerHandlers {
  readonly limiter: RawSocketLimiter;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** Only WebSocket is upgraded; other offers (h2c, for one) are answered as plain requests. Node >= 24.9. */
type UpgradeChoice = ServerOptions & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean };

/** The one HTTP server: bounds connections and slow heads, and tells requests from upgrades. */
export class Listener {
  readonly #server: Server;

  constructor(limits: RelayLimits, handlers: ListenerHandlers) {
    const options: UpgradeChoice = {
      maxHeaderSize: limits.maxUrlBytes + OTHER_HEADERS_BYTES,
      // Counts until a request head is complete, and again from the first byte of the next one.
      headersTimeout: limits.handshakeMs,
      requestTimeout: Math.max(REQUEST_MS, limits.handshakeMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, limits.handshakeMs / 10)),
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    };
    this.#server = createServer(options, (request, response) => handlers.onRequest(request, response));
    this.#server.on('connection', (socket: Socket) => handlers.limiter.accept(socket));
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      handlers.onUpgrade(request, socket, head),
    );
    this.#server.on('clientError', answerClientError);
  }

  /** Resolves once the port is open; rejects with Node's listen error. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  /** Where it listens. */
  address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address() as AddressInfo | null;
    if (address === null) throw new Error('the relay is not listening');
    return { host: address.address, port: address.port };
  }

  /** Accepts no more connections. Resolves when all are gone. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      // The only error is "not running", which is what was asked for.
      this.#server.close(() => resolve());
    });
  }
}

const BAD_REQUEST = answerTo('400 Bad Request');
const ANSWERS: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', answerTo('431 Request Header Fields Too Large')],
  ['ERR_HTTP_REQUEST_TIMEOUT', ''],
]);

/** Not HTTP, a head beyond all bounds, or none in time. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const answer = ANSWERS.get(error.code) ?? BAD_REQUEST;
  if (socket.writable && answer !== '') socket.end(answer, () => socket.destroy());
  else socket.destroy();
}

/** A whole HTTP answer without a body that closes the connection. */
export function answerTo(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n`;
}
