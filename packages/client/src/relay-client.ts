import type { PublicJwk } from '@openchambery/protocol';
import type {
  Clock,
  HttpRequestHead,
  HttpResponseHead,
  IncomingBytes,
  TunnelSocket,
  TunnelSocketListener,
  TunnelTraffic,
  WsOpenHead,
} from '@openchambery/tunnel';
import type { RelayClientError } from './relay-client-error.ts';

/** Where a Client stands. */
export type ClientStatus =
  | { readonly state: 'idle' }
  | { readonly state: 'connecting' }
  /** The encrypted channel is established. */
  | { readonly state: 'connected' }
  | { readonly state: 'reconnecting'; readonly error: RelayClientError; readonly retryInMs: number }
  /** The relay refused for good: nothing more is tried until `connect()` is called. */
  | { readonly state: 'failed'; readonly error: RelayClientError }
  | { readonly state: 'closed' };

/** What a Client is made of. */
export interface RelayClientOptions {
  /** `ws:` or `wss:`; query and fragment are stripped, a user is refused. */
  readonly relayUrl: string | URL;
  readonly serverId: string;
  /** The trust anchor. */
  readonly hostEncPubJwk: PublicJwk;
  /** The pairing's secret; sent with each request, inside the encrypted channel. */
  readonly secret?: string | undefined;
  /**
   * What absolute URLs given to `fetch` and `WebSocket` must begin with; they, and relative ones, are resolved against it.
   * @default the page's own origin in a browser, `http://tunnel.invalid` elsewhere
   */
  readonly baseUrl?: string | URL | undefined;
  /** How long a request waits for a connection before it fails, in ms. @default 30000 */
  readonly connectTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** 0 ≤ x < 1, for the jitter. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** A request below the Fetch API: for proxies that must not lose a header or a status. */
export interface RawRequest extends HttpRequestHead {
  /** @default no body */
  readonly body?: ReadableStream<Uint8Array> | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer below the Fetch API. */
export interface RawResponse extends HttpResponseHead {
  /** Must be read to its end or discarded. */
  readonly body: IncomingBytes;
  /** Gives up on what is left. */
  abort(reason: string): void;
}

/** A WebSocket below the interface of the standard. */
export interface RawSocket {
  readonly socket: TunnelSocket;
  /** Empty when the origin chose none. */
  readonly protocol: string;
}

/**
 * A WebSocket through the tunnel, with the interface of the standard. Its `error` event also has an `error` that says what
 * happened; when the connection to the Host breaks it closes with 1012.
 */
export type TunnelWebSocket = WebSocket;

/** Makes WebSockets; has the constants of the standard. */
export interface TunnelWebSocketConstructor {
  /**
   * Throws a SyntaxError for a URL outside of the base and for wrong subprotocols.
   * @param url within the base, with `ws(s):` or `http(s):`, or relative to it.
   */
  new (url: string | URL, protocols?: string | readonly string[]): TunnelWebSocket;
  readonly CONNECTING: 0;
  readonly OPEN: 1;
  readonly CLOSING: 2;
  readonly CLOSED: 3;
}

/** A Client: reaches one Host's origin through the relay. Connects at the first use, and stays connected until closed. */
export interface RelayClient {
  readonly status: ClientStatus;
  readonly traffic: TunnelTraffic;
  /** Resolves when connected; rejects with a `RelayClientError`. Also the way out of `failed`. */
  connect(): Promise<void>;
  /**
   * The Fetch API through the tunnel: streaming both ways, AbortSignal, redirects within the origin. Rejects with a
   * `RelayClientError` (a TypeError for wrong arguments, the signal's reason when aborted). A request that may be repeated
   * is sent again when the connection breaks before its answer. `cache`, `credentials`, `integrity`, `keepalive`, `mode`,
   * `priority` and `referrer` are taken and ignored; with `redirect: 'manual'` the answer is the redirect itself.
   * Needs no `this`, so it may be handed on.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** What `fetch` is made of. */
  request(request: RawRequest): Promise<RawResponse>;
  /** The WebSocket API through the tunnel: `new client.WebSocket('/path', protocols)`. */
  readonly WebSocket: TunnelWebSocketConstructor;
  /**
   * What `WebSocket` is made of: for proxies that pass on headers and hold back a sender. Its listener hears nothing when
   * the opening fails. Rejects like `request`; the signal counts until it is open.
   */
  openSocket(head: WsOpenHead, listener: TunnelSocketListener, signal?: AbortSignal): Promise<RawSocket>;
  /** The network may have changed: finds out at once whether the connection still lives, and makes a new one if not. */
  networkChanged(): void;
  onStatus(listener: (status: ClientStatus) => void): () => void;
  /** Closes everything for good; open requests fail, open WebSockets close with 1001. */
  close(): void;
}
