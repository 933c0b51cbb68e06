import type { RelayClient } from '@openchambery/client';
import type { TunnelSocket, TunnelSocketListener, WsOpenedHead, WsOpenHead } from '@openchambery/tunnel';

/** What the local port needs of a Client. */
export interface TunnelDoor {
  readonly request: RelayClient['request'];
  /** Rejects with a `RelayClientError`, or the signal's reason. */
  openSocket(
    head: WsOpenHead,
    listener: TunnelSocketListener,
    signal: AbortSignal,
  ): Promise<{ readonly socket: TunnelSocket; readonly head: WsOpenedHead }>;
}
