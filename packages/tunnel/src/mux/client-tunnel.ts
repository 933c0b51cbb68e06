import { formatHttpRequest } from '../frame/http-payloads.ts';
import type { HttpRequestHead, WsOpenHead } from '../frame/payloads.ts';
import { formatWsOpen } from '../frame/socket-payloads.ts';
import { MAX_PAYLOAD_BYTES } from '../limits.ts';
import { ClientRequest } from './client-request.ts';
import { ClientSocket } from './client-socket.ts';
import type {
  ClientHttpStream,
  ClientSocketOpening,
  ClientTunnel,
  TunnelSocketListener,
  TunnelTraffic,
} from './streams.ts';
import { TunnelCore } from './tunnel-core.ts';
import type { TunnelListener, TunnelOptions } from './tunnel-options.ts';

/** Makes the Client's end of a tunnel. */
export function createClientTunnel(options: TunnelOptions, listener: TunnelListener): ClientTunnel {
  return new MuxClientTunnel(options, listener);
}

class MuxClientTunnel implements ClientTunnel {
  readonly #core: TunnelCore;
  #nextStreamId = 1;

  constructor(options: TunnelOptions, listener: TunnelListener) {
    this.#core = new TunnelCore(options, {
      role: 'client',
      onOpen: () => listener.onOpen(),
      onClose: (end) => listener.onClose(end),
      onStrayFrame: () => {
        // The stream is over, and the Host does not know yet; or it never was, and nothing depends on it.
      },
    });
  }

  get traffic(): TunnelTraffic {
    return this.#core.traffic;
  }

  request(head: HttpRequestHead): ClientHttpStream {
    const payload = formatHttpRequest(head);
    if (payload === undefined) throw headTooLong();
    const id = this.#takeStreamId();
    const stream = new ClientRequest(this.#core, id, payload);
    this.#core.add(id, stream);
    return stream;
  }

  openSocket(head: WsOpenHead, listener: TunnelSocketListener): ClientSocketOpening {
    const payload = formatWsOpen(head);
    if (payload === undefined) throw headTooLong();
    const id = this.#takeStreamId();
    const socket = new ClientSocket(this.#core, { id, payload, listener });
    this.#core.add(id, socket);
    return socket;
  }

  probe(timeoutMs: number): Promise<boolean> {
    return this.#core.probe(timeoutMs);
  }

  close(code: number, reason: string): void {
    this.#core.close({ code, reason });
  }

  /** Ids only grow: a Host takes one that does not for a late frame. After the last one it takes a new tunnel. */
  #takeStreamId(): number {
    const id = this.#nextStreamId;
    if (id > this.#core.limits.maxStreamId) {
      this.#core.close({ code: 1000, reason: 'all stream ids are used' });
      return id;
    }
    this.#nextStreamId += 2;
    return id;
  }
}

function headTooLong(): RangeError {
  return new RangeError(`the head of a stream has at most ${MAX_PAYLOAD_BYTES} bytes as JSON`);
}
