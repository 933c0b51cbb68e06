import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientIp, giveLastAnswer, type RawSocketLimiter } from '@openchambery/daemon';
import type { UpgradeRequest } from '@openchambery/protocol';
import { checkHandshake, takeOver, type WireConnection } from '@openchambery/wire';
import type { RelayContext } from '../relay-context.ts';
import { attachClient, attachHostControl, attachHostData } from '../routing/attach.ts';
import { decideUpgrade, type Gatekeeper } from './decide.ts';
import { REFUSAL_CODES, type Refusal } from './refusal.ts';
import type { RefusedSockets } from './refused-sockets.ts';

/** What the upgrade path works with. */
export interface UpgradePath {
  readonly context: RelayContext;
  readonly gatekeeper: Gatekeeper;
  readonly refused: RefusedSockets;
  readonly limiter: Pick<RawSocketLimiter, 'replace'>;
  readonly trustProxy: 'trust' | 'ignore';
  readonly isDraining: () => boolean;
}

/** One HTTP upgrade as Node hands it over. */
export interface IncomingUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * The way of an upgrade, whole and without a wait: handshake → client IP → decision → place. Nothing can happen
 * between a check and what it allows.
 */
export function handleUpgrade({ request, socket, head }: IncomingUpgrade, path: UpgradePath): void {
  const handshake = checkHandshake(request);
  if (!handshake.ok) {
    giveLastAnswer(socket, '400 Bad Request', path.context);
    return;
  }
  const ip = clientIp({
    peerAddress: socket.remoteAddress,
    forwardedFor: request.headers['x-forwarded-for'],
    trustProxy: path.trustProxy,
  });
  const transport = takeOver(socket, path.context.wire.readBuffer);
  path.limiter.replace(socket, transport.socket);
  const connection: WireConnection = { transport, head, key: handshake.key };
  const decision = path.isDraining() ? STOPPING : decideUpgrade(request.url ?? '', ip, path.gatekeeper);
  const refusal = decision.ok ? attach(decision.upgrade, { ip, connection, path }) : decision.refusal;
  if (refusal === undefined) return;
  path.refused.refuse(connection, { code: REFUSAL_CODES[refusal.reason], detail: refusal.detail });
  path.context.counters.countRefusal(refusal.reason);
  path.context.report.upgradeRefused({
    role: decision.upgrade?.role,
    serverId: decision.upgrade?.serverId,
    ip,
    reason: refusal.reason,
    code: REFUSAL_CODES[refusal.reason],
    detail: refusal.detail,
  });
}

const STOPPING = {
  ok: false,
  upgrade: undefined,
  refusal: { reason: 'stopping', detail: 'the relay is stopping' },
} as const;

interface Place {
  readonly ip: string;
  readonly connection: WireConnection;
  readonly path: UpgradePath;
}

function attach(upgrade: UpgradeRequest, { ip, connection, path }: Place): Refusal | undefined {
  const { context } = path;
  const { maxSockets } = context.limits;
  if (context.sockets.size >= maxSockets) {
    const reason = upgrade.role === 'host-control' ? 'sockets-full-control' : 'sockets-full';
    return { reason, detail: `limit: MAX_SOCKETS (${maxSockets}) reached` };
  }
  switch (upgrade.role) {
    case 'client':
      return attachClient({ upgrade, ip, connection }, context);
    case 'host-control':
      return attachHostControl({ upgrade, ip, connection }, context);
    case 'host-data':
      return attachHostData({ upgrade, ip, connection }, context);
  }
}
