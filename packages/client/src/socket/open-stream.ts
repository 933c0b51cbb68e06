import {
  type ClientSocketOpening,
  StreamError,
  type TunnelSocket,
  type TunnelSocketListener,
  type WsOpenHead,
} from '@openchambery/tunnel';
import type { TunnelSource } from '../connection/tunnel-source.ts';
import { explainStreamError } from '../http/exchange.ts';
import { RelayClientError } from '../relay-client-error.ts';

/** What came of asking for a WebSocket. */
export interface OpenedStream {
  readonly socket: TunnelSocket;
  /** Empty when the origin chose none. */
  readonly protocol: string;
}

/** A WebSocket that is being opened. */
export interface OpeningStream {
  /** Rejects with a `RelayClientError`, or a TypeError when URL and headers do not fit a frame. */
  readonly opened: Promise<OpenedStream>;
  /** Gives up while it is not open: `opened` rejects. What opens in the same turn is to be aborted by whoever gets it. */
  readonly abort: () => void;
}

/**
 * Waits for a tunnel and asks the Host for a WebSocket; `listener` hears of it as soon as it is open, and nothing at all
 * when that fails or was given up.
 */
export function openStream(
  source: TunnelSource,
  head: WsOpenHead,
  listener: TunnelSocketListener,
): OpeningStream {
  const waiting = new AbortController();
  let opening: ClientSocketOpening | undefined;
  let isWanted = true;
  const listenWhileWanted: TunnelSocketListener = {
    onMessage: (message) => isWanted && listener.onMessage(message),
    onDrain: () => isWanted && listener.onDrain(),
    onClose: (close) => isWanted && listener.onClose(close),
  };
  const open = async (): Promise<OpenedStream> => {
    const tunnel = await source.tunnel(waiting.signal);
    waiting.signal.throwIfAborted();
    try {
      opening = tunnel.openSocket(head, listenWhileWanted);
      const { socket, head: answer } = await opening.opened;
      return checkProtocol({ socket, protocol: answer.protocol ?? '' }, head.protocols ?? []);
    } catch (error) {
      isWanted = false;
      throw explain(error, source);
    }
  };
  return {
    opened: open(),
    abort: () => {
      isWanted = false;
      waiting.abort();
      opening?.abort('the WebSocket was closed before it was open');
    },
  };
}

/** An answer with a subprotocol that nobody asked for is none (RFC 6455 section 4.1). */
function checkProtocol(opened: OpenedStream, asked: readonly string[]): OpenedStream {
  if (opened.protocol === '' || asked.includes(opened.protocol)) return opened;
  opened.socket.abort('the subprotocol was not asked for');
  const message = 'the origin chose a subprotocol that was not asked for';
  throw new RelayClientError('ERR_RELAY_CLIENT_ABORTED_BY_HOST', message);
}

function explain(error: unknown, source: TunnelSource): unknown {
  if (error instanceof StreamError) return explainStreamError(error, () => source.lossError());
  if (error instanceof RangeError) {
    return new TypeError('the URL and the subprotocols are too large', { cause: error });
  }
  return error;
}
