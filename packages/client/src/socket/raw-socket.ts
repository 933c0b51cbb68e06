import type { TunnelSocketListener, WsOpenHead } from '@openchambery/tunnel';
import type { RawSocket } from '../relay-client.ts';
import { openStream, type TunnelSource } from './open-stream.ts';

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
  if (signal === undefined) return await opening.opened;
  const aborted = Promise.withResolvers<never>();
  const giveUp = (): void => {
    opening.abort();
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', giveUp);
  try {
    // An opening that is aborted may never settle.
    return await Promise.race([opening.opened, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
