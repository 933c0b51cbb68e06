import { FRAME_TYPE, KEEPALIVE_STREAM_ID } from '../frame/frame-type.ts';
import { parseHttpRequest } from '../frame/http-payloads.ts';
import { parseWsOpen } from '../frame/socket-payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { isBadFragment, isOpening } from './frame-rules.ts';
import { HostRequest } from './host-request.ts';
import { HostSocket } from './host-socket.ts';
import { SeenStreams } from './seen-streams.ts';
import type { HostStreamHandlers, HostTunnel, TunnelTraffic } from './streams.ts';
import { TunnelCore } from './tunnel-core.ts';
import type { TunnelListener, TunnelOptions } from './tunnel-options.ts';

/** Makes the Host's end of a tunnel. */
export function createHostTunnel(
  options: TunnelOptions,
  handlers: HostStreamHandlers & TunnelListener,
): HostTunnel {
  return new MuxHostTunnel(options, handlers);
}

class MuxHostTunnel implements HostTunnel {
  readonly #core: TunnelCore;
  readonly #handlers: HostStreamHandlers;
  /** All that has to be remembered of streams that are over. */
  readonly #seen = new SeenStreams();

  constructor(options: TunnelOptions, handlers: HostStreamHandlers & TunnelListener) {
    this.#handlers = handlers;
    this.#core = new TunnelCore(options, {
      role: 'host',
      onOpen: () => handlers.onOpen(),
      onClose: (end) => handlers.onClose(end),
      onStrayFrame: (frame) => this.#onStrayFrame(frame),
    });
  }

  get traffic(): TunnelTraffic {
    return this.#core.traffic;
  }

  close(code: number, reason: string): void {
    this.#core.close({ code, reason });
  }

  #onStrayFrame(frame: TunnelFrame): void {
    // Late, for a stream that is over.
    if (!isOpening(frame) || frame.streamId === KEEPALIVE_STREAM_ID) return;
    const refusal = this.#refusal(frame);
    if (refusal !== undefined) this.#core.sendAbort(frame.streamId, refusal);
    else if (frame.type === FRAME_TYPE.httpRequest) this.#openRequest(frame);
    else this.#openSocket(frame);
  }

  #refusal(frame: TunnelFrame): string | undefined {
    const { streamId } = frame;
    if (streamId % 2 === 0) return 'reserved stream id';
    if (!this.#seen.use(streamId)) return 'duplicate stream id';
    if (isBadFragment(frame)) return `fragment of type ${frame.type}`;
    return this.#core.isCrowded ? 'too many streams' : undefined;
  }

  #openRequest(frame: TunnelFrame): void {
    const head = parseHttpRequest(frame.payload);
    if (head === undefined) return this.#core.sendAbort(frame.streamId, 'malformed HttpRequest');
    const stream = new HostRequest(this.#core, frame.streamId, head);
    this.#core.add(frame.streamId, stream);
    if (!this.#core.attempt(() => this.#handlers.onRequest(stream))) stream.abort('internal error');
  }

  #openSocket(frame: TunnelFrame): void {
    const head = parseWsOpen(frame.payload);
    if (head === undefined) return this.#core.sendAbort(frame.streamId, 'malformed WsOpen');
    const stream = new HostSocket(this.#core, frame.streamId, head);
    this.#core.add(frame.streamId, stream);
    if (!this.#core.attempt(() => this.#handlers.onSocket(stream))) stream.abort('internal error');
  }
}
