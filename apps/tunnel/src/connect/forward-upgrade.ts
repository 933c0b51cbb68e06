import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { RelayClientError } from '@openchambery/client';
import type { RawSocket } from '@openchambery/client';
import { MAX_MESSAGE_BYTES, StreamError } from '@openchambery/tunnel';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { refuseUpgrade } from './answer-failure.ts';
import { describeFailure } from './describe-failure.ts';
import type { Failure } from './describe-failure.ts';
import { SocketJoint } from './join-sockets.ts';
import { toSocketHeaders } from './message-headers.ts';
import { isPairingRefusal } from './pairing-standing.ts';
import type { PairingVerdict } from './pairing-standing.ts';
import { parseRequestTarget } from './request-target.ts';
import type { TunnelDoor } from './tunnel-door.ts';

/** A local request for a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Hears what becomes of it as far as it is about the pairing. */
  readonly onVerdict: (verdict: PairingVerdict) => void;
}

const NO_WEBSOCKET: Failure = {
  status: 400,
  error: 'bad_request',
  message: 'Only upgrades to WebSocket, version 13, can be forwarded.',
};

/** Statuses of what a Host says when it refuses a WebSocket. */
const REFUSAL_STATUS: Readonly<Record<string, number>> = {
  pairing_required: 401,
  pairing_revoked: 401,
  pairing_unreadable: 401,
  path_not_allowed: 403,
};

/**
 * Takes a WebSocket through the tunnel: it is opened there first, so that the local program learns from its handshake
 * whether there is anything at the other end, and which subprotocol it chose. Never rejects; errors of the connection are
 * for the caller to hear.
 * @returns the local end, when it came to that
 */
export async function forwardUpgrade(upgrade: Upgrade, door: TunnelDoor): Promise<WebSocket | undefined> {
  const { request, socket } = upgrade;
  const target = parseRequestTarget(request.url ?? '');
  if (target === undefined || !isWebSocket(request)) {
    refuseUpgrade(socket, NO_WEBSOCKET);
    return undefined;
  }
  const joint = new SocketJoint();
  const leaving = new AbortController();
  socket.once('close', () => leaving.abort(new Error('the local program went away')));
  try {
    const protocols = splitProtocols(request.headers['sec-websocket-protocol']);
    const head = { ...target, protocols, headers: toSocketHeaders(request.rawHeaders) };
    const opened = await door.openSocket(head, joint, leaving.signal);
    upgrade.onVerdict('accepted');
    return completeUpgrade(upgrade, { ...opened, joint });
  } catch (error) {
    const reason = reasonOf(error);
    if (isPairingRefusal(reason)) upgrade.onVerdict(reason);
    if (!socket.destroyed) refuseUpgrade(socket, describeRefusal(error));
    return undefined;
  }
}

interface Opened extends RawSocket {
  readonly joint: SocketJoint;
}

function completeUpgrade({ request, socket, head }: Upgrade, opened: Opened): WebSocket | undefined {
  const { protocol } = opened;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // Called only when the program offered some. One that it did not offer it would refuse by itself.
    handleProtocols: () => (protocol === '' ? false : protocol),
  });
  let local: WebSocket | undefined;
  server.handleUpgrade(request, socket, head, (webSocket) => {
    local = webSocket;
    opened.joint.join(webSocket, opened.socket);
  });
  // ws refuses a bad handshake by itself, in the same turn.
  if (local === undefined) opened.socket.abort('the local handshake failed');
  return local;
}

/** RFC 6455 section 4.2.1, as far as it does not take a key to check; ws looks at the rest. */
function isWebSocket({ headers, method }: IncomingMessage): boolean {
  const { upgrade = '', 'sec-websocket-version': version, 'sec-websocket-key': key } = headers;
  return method === 'GET' && upgrade.toLowerCase() === 'websocket' && version === '13' && key !== undefined;
}

function splitProtocols(header: string | undefined): readonly string[] | undefined {
  const names = (header ?? '').split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '');
  return given.length === 0 ? undefined : given;
}

function describeRefusal(error: unknown): Failure {
  const reason = reasonOf(error);
  const status = reason === undefined ? undefined : REFUSAL_STATUS[reason];
  return status === undefined || reason === undefined
    ? describeFailure(error)
    : { status, error: reason, message: 'The Host refuses this WebSocket.' };
}

/** What the Host says. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof RelayClientError || error instanceof StreamError ? error.reason : undefined;
}
