import type { Role } from '@openchambery/protocol';
import type { RelayLimits } from '../../src/limits.ts';
import type { RefusalReason } from '../../src/upgrade/refusal.ts';
import type { RelayModel } from './relay-model.ts';

/** An upgrade as the model judges it. */
export interface ModelUpgrade {
  readonly role: Role;
  readonly serverId: string;
  readonly ip: string;
  readonly connectionId?: string | undefined;
  readonly flaw: 'none' | 'malformed' | 'signature';
  /** Ids that the relay's next draws give. */
  readonly nextIds: readonly string[];
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/** Layer 1, sections 4 and 5: what becomes of an upgrade. */
export class GateModel {
  readonly #limits: RelayLimits;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(limits: RelayLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Why the upgrade is refused; undefined when it attaches. Counts it, so it is asked once per upgrade. */
  judge(upgrade: ModelUpgrade, model: RelayModel, openSockets: number): RefusalReason | undefined {
    const limits = this.#limits;
    const { role, ip } = upgrade;
    if (model.isDraining) return 'stopping';
    if (upgrade.flaw === 'malformed') {
      return this.#admit(`malformed ${ip}`, limits.maxAdmissionsPerIp) ? 'malformed' : 'malformed-rate';
    }
    if (role === 'host-control') {
      if (!this.#admit(`control ${ip}`, limits.maxHostControlAdmissionsPerIp)) return 'host-control-rate';
    } else if (!this.#admit(`${role} ${ip}`, limits.maxAdmissionsPerIp)) {
      return role === 'client' ? 'client-rate' : 'host-data-rate';
    }
    if (role !== 'client' && upgrade.flaw === 'signature') return 'auth';
    if (
      role === 'host-control' &&
      !this.#admit(`server ${upgrade.serverId}`, limits.maxHostControlAdmissionsPerServer)
    ) {
      return 'host-rate';
    }
    if (openSockets >= limits.maxSockets) {
      return role === 'host-control' ? 'sockets-full-control' : 'sockets-full';
    }
    return this.#place(upgrade, model);
  }

  #place(upgrade: ModelUpgrade, model: RelayModel): RefusalReason | undefined {
    const host = model.hosts.get(upgrade.serverId);
    switch (upgrade.role) {
      case 'host-control':
        return host === undefined && model.hosts.size >= this.#limits.maxHosts ? 'hosts-full' : undefined;
      case 'host-data': {
        const connection = host?.connections.get(upgrade.connectionId ?? '');
        return connection === undefined || connection.data !== undefined ? 'duplicate' : undefined;
      }
      case 'client':
        return this.#placeClient(upgrade, model);
    }
  }

  #placeClient({ serverId, ip, nextIds }: ModelUpgrade, model: RelayModel): RefusalReason | undefined {
    const limits = this.#limits;
    const host = model.hosts.get(serverId);
    if (host === undefined) return 'host-unknown';
    const { connections, pending } = model;
    if (connections.length >= limits.maxConnections) return 'connections-full';
    if (pending.length >= limits.maxPendingClients) return 'pending-full';
    if (host.connections.size >= limits.maxClientsPerHost) return 'clients-per-host';
    const hasIp = ({ client }: { client: { party: { ip: string } } }): boolean => client.party.ip === ip;
    if (connections.filter(hasIp).length >= limits.maxClientsPerIp) return 'clients-per-ip';
    const share = Math.max(1, Math.floor(limits.maxPendingClients / 2));
    if (pending.filter((connection) => connection.host === host).length >= share) return 'pending-per-host';
    if (pending.filter(hasIp).length >= share) return 'pending-per-ip';
    const draws = nextIds.slice(0, limits.idAttempts);
    return draws.every((id) => host.connections.has(id)) ? 'no-connection-id' : undefined;
  }

  #admit(key: string, max: number): boolean {
    const now = this.#now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= now) {
      window = { endsAtMs: now + this.#limits.admissionWindowMs, count: 0 };
      this.#windows.set(key, window);
    }
    if (window.count >= max) return false;
    window.count++;
    return true;
  }
}
