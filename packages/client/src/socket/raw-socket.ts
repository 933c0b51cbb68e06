import type { TunnelSocketListener, WsOpenHead } from '@openchambery/tunnel';
import type { TunnelSource } from '../connection/tunnel-source.ts';
import type { RawSocket } from '../relay-client.ts';
import { openStream } from './open-stream.ts';

/** Who wants a WebSocket. */
export interface RawSocketOpener {
  readonly listener: TunnelSocketListener;
  /** Counts until it is open. */
  readonly signal: AbortSignal | undefined;
}

/** Opens a WebSocket without the interface of the standard. Rejects with a `RelayClientError`, or the signal's reason. */
export async function openRawSocket(
  source: TunnelSource,
  head: WsOpenHead,
  { listener, signal }: RawSocketOpener,
): Promise<RawSocket> {
  signal?.throwIfAborted();
  const opening = openStream(source, head, listener);
  const { abort } = opening;
  signal?.addEventListener('abort', abort);
  try {
    const opened = await opening.opened;
    if (signal?.aborted !== true) return opened;
    // Opened and aborted in one turn.
    opened.socket.abort('cancelled');
    throw signal.reason;
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
