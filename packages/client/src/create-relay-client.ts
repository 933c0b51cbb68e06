import { platform } from '#transport';
import { type ClientOptions, resolveClientOptions } from './client-options.ts';
import { attemptStarter, type StartAttempt } from './connection/attempt.ts';
import { Connection } from './connection/connection.ts';
import { tunnelOpener } from './connection/open-tunnel.ts';
import { watchNetwork } from './connection/watch-network.ts';
import type { Call } from './http/exchange.ts';
import { createFetch } from './http/fetch.ts';
import { withSecret } from './http/headers.ts';
import { readRawRequest } from './http/raw-request.ts';
import { send } from './http/send.ts';
import type { RawResponse, RelayClient, RelayClientOptions } from './relay-client.ts';
import { openRawSocket } from './socket/raw-socket.ts';
import { createWebSocketClass, type SocketParts } from './socket/tunnel-web-socket.ts';

/** RFC 6455 section 7.4.1: this end is going away. */
const GOING_AWAY = { code: 1001, reason: 'the Client was closed' };

/**
 * A Client of one Host. Nothing is dialled before the first use. Throws a TypeError or RangeError for an option that is
 * wrong.
 */
export function createRelayClient(options: RelayClientOptions): RelayClient {
  const resolved = resolveClientOptions(options);
  const { clock, hostEncPubJwk, dialUrl: url } = resolved;
  const { dial, importAeadKey, maxUnreadBytes } = platform;
  const openTunnel = tunnelOpener({ hostEncPubJwk, clock, importAeadKey, maxUnreadBytes });
  return assembleClient(resolved, attemptStarter({ url, dial, openTunnel, clock }));
}

/** A Client over connections of any kind. */
export function assembleClient(options: ClientOptions, startAttempt: StartAttempt): RelayClient {
  const { base, secret } = options;
  const connection = new Connection({ ...options, startAttempt });
  const openSockets: SocketParts['open'] = new Set();
  const stopWatching = watchNetwork(() => connection.networkChanged());
  const sendSecretly = (request: Omit<Call, 'lossError'>): Promise<RawResponse> => {
    const headers = withSecret(request.head.headers, secret);
    return send(connection, { ...request, head: { ...request.head, headers } });
  };
  return {
    get status() {
      return connection.status;
    },
    get traffic() {
      return connection.traffic;
    },
    connect: () => connection.connect(),
    fetch: createFetch({ base, send: sendSecretly }),
    request: async (request) => await sendSecretly(readRawRequest(request)),
    openSocket: (head, listener, signal) =>
      openRawSocket(
        connection,
        { ...head, headers: withSecret(head.headers ?? {}, secret) },
        { listener, signal },
      ),
    WebSocket: createWebSocketClass({ base, secret, source: connection, open: openSockets }),
    networkChanged: () => connection.networkChanged(),
    onStatus: (listener) => connection.onStatus(listener),
    close: () => {
      stopWatching();
      for (const socket of openSockets) socket.closeNow(GOING_AWAY);
      connection.close();
    },
  };
}
