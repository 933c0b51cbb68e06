import type { HostSocketStream, TunnelSocket, TunnelSocketListener, WsCloseInfo } from '@openchambery/tunnel';
import type { WebSocket } from 'ws';
import { closeForClient, closeForOrigin } from './close-code.ts';

/** The tunnel is read no further while so many bytes wait for the origin; it goes on at half of them. */
const MAX_ORIGIN_BACKLOG_BYTES = 1024 * 1024;

/** What `ws` calls a peer that broke RFC 6455, and the close code for it. */
const FAULT_CODES: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
};

/**
 * Accepts a stream, and passes messages and the close on between it and an open, paused WebSocket of the origin's, each
 * side read only as fast as the other takes it.
 */
export function joinSockets(stream: HostSocketStream, origin: WebSocket): void {
  const joint = new Joint(origin);
  joint.tunnel = stream.accept(origin.protocol === '' ? {} : { protocol: origin.protocol }, joint);
  joint.begin(joint.tunnel);
}

class Joint implements TunnelSocketListener {
  readonly #origin: WebSocket;
  /** Not there yet while early messages are delivered. */
  tunnel: TunnelSocket | undefined;
  #isTunnelPaused = false;
  #isOver = false;

  constructor(origin: WebSocket) {
    this.#origin = origin;
  }

  begin(tunnel: TunnelSocket): void {
    const origin = this.#origin;
    origin.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#isOver && !tunnel.send(isBinary ? data : data.toString())) {
        origin.pause();
      }
    });
    origin.on('error', (error: NodeJS.ErrnoException) => this.#onFault(error.code));
    origin.on('close', (code, reason) => this.#closeTunnel(closeForClient(code, reason.toString())));
    if (this.#isTunnelPaused) {
      tunnel.pause();
    }
    origin.resume();
  }

  onMessage(message: string | Uint8Array): void {
    this.#origin.send(message, () => this.#onSent());
    if (!this.#isTunnelPaused && this.#origin.bufferedAmount > MAX_ORIGIN_BACKLOG_BYTES) {
      this.#isTunnelPaused = true;
      this.tunnel?.pause();
    }
  }

  onDrain(): void {
    this.#origin.resume();
  }

  onClose(close: WsCloseInfo): void {
    this.#isOver = true;
    const forOrigin = closeForOrigin(close);
    if (forOrigin === undefined) {
      this.#origin.terminate();
      return;
    }
    // Paused, it would not see the origin's own close.
    this.#origin.resume();
    this.#origin.close(forOrigin.code, forOrigin.reason);
  }

  #onSent(): void {
    if (this.#isTunnelPaused && this.#origin.bufferedAmount <= MAX_ORIGIN_BACKLOG_BYTES / 2) {
      this.#isTunnelPaused = false;
      this.tunnel?.resume();
    }
  }

  #onFault(code: string | undefined): void {
    if (code?.startsWith('WS_ERR_') === true) {
      this.#closeTunnel({ code: FAULT_CODES[code] ?? 1002, reason: `the origin broke RFC 6455: ${code}` });
    }
  }

  #closeTunnel({ code, reason }: WsCloseInfo): void {
    if (!this.#isOver) {
      this.tunnel?.close(code, reason);
    }
  }
}
