import type { ConnectionDropped } from '@openchambery/daemon';
import type { CloseCode, Role } from '@openchambery/protocol';
import type { CloseCause } from '../connection/close-cause.ts';
import type { RefusalReason } from '../upgrade/refusal.ts';

/** A Host's control connection was attached. */
export interface HostOnline {
  readonly serverId: string;
  readonly ip: string;
}

/** A Host lost its control connection; its route lives on for GRACE_MS. */
export interface HostInGrace {
  readonly serverId: string;
}

/** A Host's route is forgotten. */
export interface HostOffline {
  readonly serverId: string;
  readonly cause: CloseCause;
}

/** A Client and its Host's leg are joined. */
export interface Paired {
  readonly serverId: string;
  readonly connectionId: string;
}

/** An upgrade was refused. */
export interface UpgradeRefused {
  /** Unknown when the upgrade was malformed. */
  readonly role: Role | undefined;
  readonly ip: string;
  readonly serverId: string | undefined;
  readonly reason: RefusalReason;
  readonly code: CloseCode;
  readonly detail: string;
}

/** An accepted socket is gone: the whole of its life. */
export interface SocketClosed {
  readonly role: Role;
  readonly ip: string;
  readonly serverId: string;
  readonly connectionId?: string;
  readonly durationMs: number;
  /** WebSocket bytes from the peer, headers and all. */
  readonly receivedBytes: number;
  /** Bytes the kernel took for the peer, headers and all. */
  readonly sentBytes: number;
  /** Close code seen or sent; 1006 when TCP ended without one. */
  readonly code: number;
  readonly reason: string;
  /** Who closed first. */
  readonly by: 'peer' | 'relay';
}

/** What a relay tells its listeners. Ids are whole here; the log shortens them. */
export interface RelayEventMap {
  hostOnline: [HostOnline];
  hostInGrace: [HostInGrace];
  hostOffline: [HostOffline];
  paired: [Paired];
  upgradeRefused: [UpgradeRefused];
  connectionDropped: [ConnectionDropped];
  socketClosed: [SocketClosed];
}
