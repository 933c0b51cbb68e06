import type { TunnelSocket, TunnelSocketListener, WsCloseInfo } from '@openchambery/tunnel';
import type { RawData, WebSocket } from 'ws';

/** How much may wait for a slow local program, in bytes, before the tunnel is asked to wait. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** RFC 6455 section 5.5: a control frame's payload, less the code. */
const MAX_REASON_BYTES = 123;

/**
 * The listener of a WebSocket in the tunnel. It is there before the local end is, whose handshake needs the answer of the
 * far one; what comes in that turn is kept.
 */
export class SocketJoint implements TunnelSocketListener {
  #local: WebSocket | undefined;
  #tunnel: TunnelSocket | undefined;
  /** Bounded by time: from the opening to `join()` there are only microtasks, so what the message in hand carries. */
  readonly #early: (string | Uint8Array)[] = [];
  #earlyClose: WsCloseInfo | undefined;
  #isOver = false;

  /** Joins both ends; to be called once. */
  join(local: WebSocket, tunnel: TunnelSocket): void {
    this.#local = local;
    this.#tunnel = tunnel;
    local.on('message', (data, isBinary) => this.#onLocalMessage(data, isBinary));
    local.on('close', (code, reason) => this.#onLocalClose(code, reason));
    local.on('error', () => {
      // 'close' follows, with 1006 or the code of what was wrong.
    });
    for (const message of this.#early.splice(0)) this.onMessage(message);
    if (this.#earlyClose !== undefined) this.onClose(this.#earlyClose);
  }

  onMessage(message: string | Uint8Array): void {
    const local = this.#local;
    if (local === undefined) {
      this.#early.push(message);
      return;
    }
    local.send(message, { binary: typeof message !== 'string' }, () => this.#resumeTunnel());
    if (local.bufferedAmount > HIGH_WATER_BYTES) this.#tunnel?.pause();
  }

  onDrain(): void {
    this.#local?.resume();
  }

  onClose(close: WsCloseInfo): void {
    const local = this.#local;
    if (local === undefined) {
      this.#earlyClose = close;
      return;
    }
    this.#isOver = true;
    // A paused socket would not see the answer to its close frame.
    local.resume();
    closeLocal(local, close);
  }

  #resumeTunnel(): void {
    if (this.#local !== undefined && this.#local.bufferedAmount <= HIGH_WATER_BYTES / 2)
      this.#tunnel?.resume();
  }

  #onLocalMessage(data: RawData, isBinary: boolean): void {
    if (this.#isOver) return;
    // ws gives one Buffer as long as `binaryType` is not changed.
    const bytes = data as Buffer;
    const takesMore = this.#tunnel?.send(isBinary ? bytes : bytes.toString('utf8'));
    if (takesMore === false) this.#local?.pause();
  }

  #onLocalClose(code: number, reason: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (code === 1006) this.#tunnel?.abort('the local WebSocket broke');
    else this.#tunnel?.close(code === 1005 ? 1000 : code, reason.toString('utf8'));
  }
}

/** Ends the local WebSocket as the far one ended, as far as RFC 6455 section 7.4 lets a frame say so. */
function closeLocal(local: WebSocket, { code, reason }: WsCloseInfo): void {
  if (code === 1006) local.terminate();
  else if (isSendable(code)) local.close(code, fitReason(reason));
  else local.close();
}

function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}

/** Cut so that no character is torn: what is left of one at the end is dropped. */
function fitReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_BYTES), { stream: true });
}
