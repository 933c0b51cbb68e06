import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFailure, refuseUpgrade } from './answer-failure.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import type { PairingVerdict } from './pairing-standing.ts';
import type { RequestGuard } from './request-guard.ts';
import type { TunnelDoor } from './tunnel-door.ts';
import { UpgradedConnections } from './upgraded-connections.ts';

/** Most connections of local programs at a time; further ones are closed at once. */
const MAX_CONNECTIONS = 1000;

/** How long a connection without a request stays open, in ms: longer than a browser keeps one. */
const KEEP_ALIVE_MS = 120_000;

/** A port that is the remote origin. */
export interface LocalServer {
  /** Rejects with Node's error when the address cannot be had. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Exchanges and WebSockets that are under way. */
  readonly openCount: number;
  /** WebSockets close with 1001, whatever else is under way is cut. Resolves when all is closed. */
  close(): Promise<void>;
}

/** What a local server is made of. */
export interface LocalServerParts {
  readonly door: TunnelDoor;
  readonly guard: RequestGuard;
  /** Hears what answers say about the pairing. */
  readonly onVerdict: (verdict: PairingVerdict) => void;
  /** @default 1000 */
  readonly maxConnections?: number;
}

/** Makes a server that sends what passes the guard through the tunnel. */
export function createLocalServer({ door, guard, onVerdict, maxConnections }: LocalServerParts): LocalServer {
  const exchanges = new Set<Promise<void>>();
  const upgraded = new UpgradedConnections();
  const server = createServer(SERVER_OPTIONS);
  server.maxConnections = maxConnections ?? MAX_CONNECTIONS;
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = guard.checkRequest(request);
    if (refusal !== undefined) return answerFailure(response, refusal);
    track(exchanges, forwardRequest({ request, response, onVerdict }, door));
  };
  server.on('request', take);
  server.on('checkContinue', (request, response) => {
    // The far origin is not asked: the answer would take a round trip, and an early refusal is passed on anyway.
    if (guard.checkRequest(request) === undefined) response.writeContinue();
    take(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    const refusal = guard.checkUpgrade(request);
    if (refusal !== undefined) refuseUpgrade(socket, refusal);
    const opening =
      refusal === undefined
        ? forwardUpgrade({ request, socket, head, onVerdict }, door)
        : Promise.resolve(undefined);
    track(exchanges, upgraded.add(socket, opening));
  });
  return {
    listen: (host, port) => listen(server, host, port),
    get openCount() {
      return exchanges.size + upgraded.openCount;
    },
    close: () => close(server, upgraded),
  };
}

/** `shouldUpgradeCallback`: an offer of HTTP/2 is to be ignored (RFC 9110 section 7.8); older versions of Node take it for an upgrade. */
const SERVER_OPTIONS: ServerOptions & { shouldUpgradeCallback(request: IncomingMessage): boolean } = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  // An upload may take as long as it likes; only its head may not.
  requestTimeout: 0,
  headersTimeout: 60_000,
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
};

function track<T>(set: Set<Promise<T>>, promise: Promise<T>): void {
  set.add(promise);
  void promise.finally(() => set.delete(promise));
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

async function close(server: Server, upgraded: UpgradedConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  const stopWaiting = upgraded.close();
  await closed;
  stopWaiting();
}
