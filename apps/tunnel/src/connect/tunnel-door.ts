import type { RelayClient } from '@openchambery/client';

/** What the local port needs of a Client. */
export type TunnelDoor = Pick<RelayClient, 'request' | 'openSocket'>;
