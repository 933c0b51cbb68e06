import type { Clock } from '@openchambery/tunnel';
import type { HostKeys } from './identity/host-keys.ts';

/** Where a Host stands with its relay. */
export type HostStatus =
  | { readonly state: 'idle' }
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** The connection broke, or never came about; tried again in `retryInMs`. */
  | { readonly state: 'reconnecting'; readonly reason: string; readonly retryInMs: number }
  /** The relay said no, with a reason a person can act on, such as how far the clock is off. Tried again, unhurriedly. */
  | {
      readonly state: 'refused';
      readonly code: number;
      readonly reason: string;
      readonly retryInMs: number;
    }
  | { readonly state: 'stopped' };

/** What a request is let in by. */
export type Admission =
  | { readonly isAllowed: true }
  /** `error` is a code for programs, `message` a sentence for people; both reach the Client. */
  | {
      readonly isAllowed: false;
      readonly status: 401 | 403;
      readonly error: string;
      readonly message: string;
    };

/** One request or WebSocket, as a policy sees it. */
export interface RequestToAdmit {
  readonly connectionId: string;
  readonly kind: 'http' | 'websocket';
  /** `GET` for a WebSocket. */
  readonly method: string;
  /** As the Client wrote it, without the query. */
  readonly path: string;
  /** What came in `PAIRING_SECRET_HEADER`, which is taken off the headers. */
  readonly secret: string | undefined;
}

/** What Clients may reach. Asked before the origin hears of anything. */
export interface HostPolicy {
  /**
   * Path prefixes by whole segments: `/api` lets in `/api` and `/api/x`, not `/apis`.
   * @default ['/'], everything
   */
  readonly allowPaths?: readonly string[] | undefined;
  /** Has the last word, after the paths: checks a pairing secret. @default lets everybody in */
  readonly admit?: ((request: RequestToAdmit) => Admission | Promise<Admission>) | undefined;
}

/** A request for a {@link HostHandler}: a Fetch API request with what the tunnel knows of it. */
export interface HandlerContext {
  readonly connectionId: string;
}

/** Answers requests in the Host's own process, in place of an origin. WebSockets are refused then. */
export type HostHandler = (request: Request, context: HandlerContext) => Response | Promise<Response>;

/** Where requests go: a program on this machine, or a function. */
export type HostTarget =
  /** `http:` or `https:` on a loopback address, without path, query and user. */
  | { readonly origin: string | URL; readonly handler?: undefined }
  | { readonly handler: HostHandler; readonly origin?: undefined };

/** What a Host is made of. */
export type RelayHostOptions = HostTarget & {
  /** `ws:` or `wss:`; query and fragment are stripped, a user is refused. */
  readonly relayUrl: string | URL;
  /** Who this Host is: its signing key and its encryption key. */
  readonly identity: HostKeys;
  readonly policy?: HostPolicy | undefined;
  /** Most Clients at a time. @default 128 */
  readonly maxConnections?: number | undefined;
  /** Most open streams of one Client; more are aborted. @default 512 */
  readonly maxStreamsPerConnection?: number | undefined;
  readonly clock?: Clock | undefined;
  /** 0 ≤ x < 1, for the jitter. @default Math.random */
  readonly random?: (() => number) | undefined;
};

/** What a Host has counted since it was made. */
export interface HostSnapshot {
  readonly status: HostStatus;
  /** Clients with an established channel. */
  readonly connections: number;
  readonly openStreams: number;
  /** Bytes of bodies and messages from Clients, and to them. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Clients that came when there were `maxConnections` already. */
  readonly turnedAwayConnections: number;
  /** The last thing that went wrong, for people; never a secret or a payload. */
  readonly lastError: string | undefined;
}

/** What a Host reports. */
export interface HostEvents {
  readonly status: [status: HostStatus];
  readonly connectionOpened: [connection: { readonly connectionId: string }];
  readonly connectionClosed: [connection: { readonly connectionId: string; readonly reason: string }];
  /** A request was refused by the policy, or failed at the origin. */
  readonly requestFailed: [
    failure: { readonly connectionId: string; readonly path: string; readonly error: string },
  ];
}

/** A Host that serves its target to Clients through a relay. */
export interface RelayHost {
  readonly serverId: string;
  readonly relayUrl: string;
  readonly status: HostStatus;
  snapshot(): HostSnapshot;
  /** Begins to connect, and to keep connected. Returns at once; listen to `status`. Does nothing the second time. */
  start(): void;
  /** Resolves when connected; rejects when stopped before that. */
  connected(): Promise<void>;
  /** Ends one Client's connection, for a pairing that was revoked. */
  disconnect(connectionId: string, reason: string): void;
  /** Closes everything; resolves when all sockets are gone. */
  stop(): Promise<void>;
  on<Name extends keyof HostEvents>(name: Name, listener: (...args: HostEvents[Name]) => void): this;
  off<Name extends keyof HostEvents>(name: Name, listener: (...args: HostEvents[Name]) => void): this;
}
