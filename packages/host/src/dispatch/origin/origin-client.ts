import { Agent, type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import type { NetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { lookupLoopback, type Origin } from './origin.ts';
import { connectOriginSocket } from './origin-socket.ts';
import { Slots } from './slots.ts';

/** What of a request goes to the origin, apart from its body. */
export interface OriginRequestHead {
  readonly method: string;
  /** Path and query, in ASCII. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Which connection a request takes: one kept from earlier, if there is one, or certainly a new one. */
export type ConnectionChoice = 'kept' | 'new';

/** Idle connections that are kept for the next requests. */
const MAX_IDLE_CONNECTIONS = 64;

/**
 * How long they are kept, in ms. An origin that closes one just as a request goes out costs that request; servers keep
 * them for 5 s and longer, and a new one on this machine costs next to nothing.
 */
const IDLE_CONNECTION_MS = 2000;

/** A response head may be as large as a tunnel frame; what does not fit one is found out there. */
const MAX_HEAD_BYTES = 64 * 1024;

/** Keeps connections that read on when writing fails. Those of https: have a layer between that does not. */
class OriginAgent extends Agent {
  override createConnection(options: object): Duplex {
    return connectOriginSocket(options as NetConnectOpts);
  }
}

/** Makes requests to one origin. */
export class OriginClient {
  readonly origin: Origin;
  /** One for each request under way. */
  readonly slots: Slots;
  readonly #agent: Agent;

  /** @param maxRequests most requests under way at a time; others wait */
  constructor(origin: Origin, maxRequests: number) {
    this.origin = origin;
    this.slots = new Slots(maxRequests);
    const options = {
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_CONNECTIONS,
      timeout: IDLE_CONNECTION_MS,
    };
    this.#agent = origin.isSecure ? new SecureAgent(options) : new OriginAgent(options);
  }

  /** Begins a request; nothing is sent before its body is written or ended. */
  open(head: OriginRequestHead, connection: ConnectionChoice): ClientRequest {
    const options: RequestOptions = {
      ...connectOptions(this.origin),
      hostname: this.origin.hostname,
      port: this.origin.port,
      method: head.method,
      path: head.target,
      headers: head.headers,
      maxHeaderSize: MAX_HEAD_BYTES,
      agent: connection === 'kept' ? this.#agent : false,
    };
    return this.origin.isSecure ? requestHttps(options) : requestHttp(options);
  }

  /** Closes the idle connections, and keeps none from now on; those in use go on. */
  close(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) {
        socket.destroy();
      }
    }
  }
}

/**
 * How every connection to an origin is made. Nobody issues certificates for localhost that a program could verify, and
 * what does not leave the machine needs none: `https:` is for origins that speak nothing else.
 */
export function connectOptions(origin: Origin): {
  readonly lookup: typeof lookupLoopback;
  readonly rejectUnauthorized: false;
  readonly servername?: string;
} {
  const isName = /[a-z]/.test(origin.hostname) && !origin.hostname.includes(':');
  return {
    lookup: lookupLoopback,
    rejectUnauthorized: false,
    ...(isName ? { servername: origin.hostname } : {}),
  };
}
