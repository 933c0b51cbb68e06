import type { ClientTunnel, TunnelTraffic } from '@openchambery/tunnel';

/** What has been counted over all tunnels of a Client. */
export class TrafficTotal {
  #sentBytes = 0;
  #receivedBytes = 0;

  /** Adds what a tunnel has counted that is over. */
  add({ traffic }: ClientTunnel): void {
    this.#sentBytes += traffic.sentBytes;
    this.#receivedBytes += traffic.receivedBytes;
  }

  /** Together with the one in use. */
  with(tunnel: ClientTunnel | undefined): TunnelTraffic {
    const now = tunnel?.traffic ?? { sentBytes: 0, receivedBytes: 0, openStreams: 0 };
    return {
      sentBytes: this.#sentBytes + now.sentBytes,
      receivedBytes: this.#receivedBytes + now.receivedBytes,
      openStreams: now.openStreams,
    };
  }
}
