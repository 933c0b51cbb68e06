import type { ClientUpgrade, HostControlUpgrade, HostDataUpgrade } from '@openchambery/protocol';
import type { WireConnection } from '@openchambery/wire';
import { RelaySocket, type SocketParty } from '../connection/relay-socket.ts';
import type { RelayContext } from '../relay-context.ts';
import type { Refusal } from '../upgrade/refusal.ts';
import { ClientConnection } from './client-connection.ts';
import { createConnectionId } from './connection-id.ts';
import type { Host } from './host.ts';

/** A well-formed, admitted and authenticated upgrade that looks for its place. */
export interface Arrival<Upgrade> {
  readonly upgrade: Upgrade;
  readonly ip: string;
  readonly connection: WireConnection;
}

/** A Host's control connection: takes over the route, or makes it. */
export function attachHostControl(
  arrival: Arrival<HostControlUpgrade>,
  context: RelayContext,
): Refusal | undefined {
  const { serverId } = arrival.upgrade;
  const { hosts, limits } = context;
  if (hosts.find(serverId) === undefined && hosts.size >= limits.maxHosts) {
    return limit('hosts-full', 'MAX_HOSTS', limits.maxHosts);
  }
  const host = hosts.findOrCreate(serverId, context);
  host.attachControl(accept(arrival, context, { host }));
  return undefined;
}

/** A Client: gets an id, is announced to its Host and waits for it. */
export function attachClient(arrival: Arrival<ClientUpgrade>, context: RelayContext): Refusal | undefined {
  const host = context.hosts.find(arrival.upgrade.serverId);
  if (host === undefined)
    return { reason: 'host-unknown', detail: 'this Host is not connected to the relay' };
  const refusal = refuseClient(host, arrival.ip, context);
  if (refusal !== undefined) return refusal;
  const connectionId = createConnectionId({
    randomBytes: context.randomBytes,
    attempts: context.limits.idAttempts,
    isTaken: (id) => host.find(id) !== undefined,
  });
  if (connectionId === undefined) return limit('no-connection-id', 'ID_ATTEMPTS', context.limits.idAttempts);
  const client = accept(arrival, context, { host, connectionId });
  const connection = new ClientConnection({ connectionId, host, client }, context);
  host.announce(connection);
  connection.startPending();
  return undefined;
}

/** A Host's leg for one Client: completes the pair. */
export function attachHostData(
  arrival: Arrival<HostDataUpgrade>,
  context: RelayContext,
): Refusal | undefined {
  const { serverId, connectionId } = arrival.upgrade;
  const host = context.hosts.find(serverId);
  const connection = host?.find(connectionId);
  if (host === undefined || connection === undefined) {
    return { reason: 'duplicate', detail: 'no Client waits under this connectionId' };
  }
  if (!connection.isPending) {
    return { reason: 'duplicate', detail: 'this connectionId is already attached' };
  }
  connection.pair(accept(arrival, context, { host, connectionId: connection.connectionId }));
  return undefined;
}

/** Relay-wide limits first: they pass by themselves, and a Client that hears 1013 comes back. */
function refuseClient(host: Host, ip: string, context: RelayContext): Refusal | undefined {
  const { connections, limits } = context;
  if (connections.size >= limits.maxConnections) {
    return limit('connections-full', 'MAX_CONNECTIONS', limits.maxConnections);
  }
  if (connections.pendingSize >= limits.maxPendingClients) {
    return limit('pending-full', 'MAX_PENDING_CLIENTS', limits.maxPendingClients);
  }
  if (host.clientCount >= limits.maxClientsPerHost) {
    return limit('clients-per-host', 'MAX_CLIENTS_PER_HOST', limits.maxClientsPerHost);
  }
  if (connections.countForIp(ip) >= limits.maxClientsPerIp) {
    return limit('clients-per-ip', 'MAX_CLIENTS_PER_IP', limits.maxClientsPerIp);
  }
  const share = Math.max(1, Math.floor(limits.maxPendingClients / 2));
  if (connections.countPendingForHost(host) >= share) {
    return limit('pending-per-host', 'half of MAX_PENDING_CLIENTS for one Host', share);
  }
  if (connections.countPendingForIp(ip) >= share) {
    return limit('pending-per-ip', 'half of MAX_PENDING_CLIENTS for one IP', share);
  }
  return undefined;
}

function limit(reason: Refusal['reason'], name: string, value: number): Refusal {
  return { reason, detail: `limit: ${name} (${value}) reached` };
}

function accept(
  arrival: Arrival<ClientUpgrade | HostControlUpgrade | HostDataUpgrade>,
  context: RelayContext,
  place: { host: Host; connectionId?: string },
): RelaySocket {
  const { host, connectionId } = place;
  // The ids come from the routing: those of the upgrade are slices of its URL and would keep all of it in memory.
  const party: SocketParty = {
    role: arrival.upgrade.role,
    ip: arrival.ip,
    serverId: host.serverId,
    ...(connectionId === undefined ? {} : { connectionId }),
  };
  return new RelaySocket(arrival.connection, party, { context, budget: host.budget });
}
