/** What a socket is to the relay: an anonymous Client, a Host's one control channel, or a Host's leg of one tunnel. */
export type Role = 'client' | 'host-control' | 'host-data';

/** The roles that sign their upgrade. */
export type HostRole = Exclude<Role, 'client'>;

/** Every role, in the order of the contract. */
export const ROLES: readonly Role[] = ['client', 'host-control', 'host-data'];
