import type { ClientTunnel } from '@openchambery/tunnel';
import type { RelayClientError } from '../relay-client-error.ts';

/** Where requests and WebSockets get their tunnel from. */
export interface TunnelSource {
  /** The tunnel, once there is one. Rejects with a `RelayClientError`, or the reason of `signal`. */
  tunnel(signal?: AbortSignal): Promise<ClientTunnel>;
  /** What broke whatever a tunnel carried that is gone. */
  lossError(): RelayClientError;
}
