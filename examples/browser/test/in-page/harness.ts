import type { RelayClient, TunnelWebSocket } from '@openchambery/client';

/** What the page of the Client's tests has for them. */
export interface Harness {
  /** Makes the Client of a pairing link, and connects it. */
  connect(link: string): Promise<void>;
  readonly client: RelayClient;
  /** Opens a WebSocket through the tunnel; rejects when it is closed before it is open. */
  openSocket(
    path: string,
    protocols?: readonly string[],
  ): Promise<{ readonly socket: TunnelWebSocket; readonly closed: Promise<CloseEvent> }>;
  nextMessage(socket: TunnelWebSocket): Promise<unknown>;
  /** In hex. */
  sha256(data: BufferSource): Promise<string>;
}

declare global {
  // The page's own; tests name it in what they have it run.
  var harness: Harness;
}
