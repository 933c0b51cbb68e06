/** A Client asks for a tunnel to a Host. */
export interface ClientUpgrade {
  readonly role: 'client';
  /** Canonical serverId of the Host. */
  readonly serverId: string;
  /** Accepted and ignored by the relay; a secret, never to be logged. */
  readonly grant?: string;
}

/** What a Host proves with: text as it came, whose faults are faults of authentication. */
export interface HostProof {
  /** Decimal ms since the epoch. */
  readonly ts: string;
  /** Base64url of the 64-byte signature, r‖s. */
  readonly sig: string;
  /** Base64url of the canonical public key text. */
  readonly pk: string;
}

/** A Host opens its control channel. */
export interface HostControlUpgrade extends HostProof {
  readonly role: 'host-control';
  /** Canonical serverId of the Host itself. */
  readonly serverId: string;
}

/** A Host attaches its leg of one tunnel. */
export interface HostDataUpgrade extends HostProof {
  readonly role: 'host-data';
  /** Canonical serverId of the Host itself. */
  readonly serverId: string;
  /** Canonical connectionId, as announced on the control channel. */
  readonly connectionId: string;
}

/** An upgrade that has to be authenticated. */
export type HostUpgrade = HostControlUpgrade | HostDataUpgrade;

/** A well-formed upgrade. */
export type UpgradeRequest = ClientUpgrade | HostUpgrade;
