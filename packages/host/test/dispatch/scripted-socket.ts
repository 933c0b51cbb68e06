import {
  StreamError,
  type HostSocketStream,
  type TunnelSocket,
  type TunnelSocketListener,
  type WsCloseInfo,
  type WsOpenedHead,
  type WsOpenHead,
} from '@openchambery/tunnel';
import { Inbox, withTimeout } from '@openchambery/testkit';

/** What a test may decide about a WebSocket. */
export interface ScriptedSocketOptions extends Partial<WsOpenHead> {
  /** Bytes that may wait for the test before the dispatcher is asked to stop. @default 262144 */
  readonly windowBytes?: number;
}

/** The Host's end of a WebSocket stream, with the Client's end in the hands of a test. */
export class ScriptedSocket implements HostSocketStream, TunnelSocket {
  readonly id = 1;
  readonly request: WsOpenHead;
  /** What reached the Client. */
  readonly messages: Inbox<string | Uint8Array> = new Inbox('messages', (message) => `${message.length}`);
  readonly #windowBytes: number;
  readonly #controller = new AbortController();
  readonly #opened = Promise.withResolvers<WsOpenedHead>();
  readonly #closed = Promise.withResolvers<WsCloseInfo>();
  readonly #aborted = Promise.withResolvers<string>();
  #listener: TunnelSocketListener | undefined;
  readonly #early: (string | Uint8Array)[] = [];
  readonly #held: (string | Uint8Array)[] = [];
  /** Whether messages to the Client stay here. */
  #isHolding = false;
  isPaused = false;
  pauseCount = 0;
  bufferedBytes = 0;
  peakBytes = 0;

  constructor(options: ScriptedSocketOptions = {}) {
    const { path = '/', query = '', protocols, headers } = options;
    this.request = { path, query, protocols, headers };
    this.#windowBytes = options.windowBytes ?? 256 * 1024;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  accept(head: WsOpenedHead, listener: TunnelSocketListener): TunnelSocket {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener.onMessage(message);
    this.#opened.resolve(head);
    return this;
  }

  send(message: string | Uint8Array): boolean {
    if (!this.#isHolding) {
      this.messages.push(message);
      return true;
    }
    this.#held.push(message);
    this.bufferedBytes += message.length;
    this.peakBytes = Math.max(this.peakBytes, this.bufferedBytes);
    return this.bufferedBytes < this.#windowBytes;
  }

  pause(): void {
    this.isPaused = true;
    this.pauseCount += 1;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(code: number, reason: string): void {
    this.#end({ code, reason });
  }

  abort(reason: string): void {
    this.#controller.abort(new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason));
    this.#aborted.resolve(reason);
    this.#end({ code: 1006, reason });
  }

  /** The Client sends a message, perhaps before it knows that anything is open. */
  sendFromClient(message: string | Uint8Array): void {
    if (this.#listener === undefined) this.#early.push(message);
    else this.#listener.onMessage(message);
  }

  /** The Client closes; 1006: it gives the stream up, 1012: its channel ended. */
  closeFromClient(code: number, reason = ''): void {
    if (code === 1006) this.#controller.abort(new StreamError('ERR_TUNNEL_STREAM_ABORTED', reason));
    this.#end({ code, reason });
  }

  /** The Client takes nothing for a while. */
  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    for (const message of this.#held.splice(0)) this.messages.push(message);
    this.bufferedBytes = 0;
    this.#listener?.onDrain();
  }

  opened(): Promise<WsOpenedHead> {
    return withTimeout(this.#opened.promise, () => `${this.request.path} is not open`);
  }

  closed(): Promise<WsCloseInfo> {
    return withTimeout(this.#closed.promise, () => `${this.request.path} is open`);
  }

  /** Why the dispatcher gave up. */
  aborted(): Promise<string> {
    return withTimeout(this.#aborted.promise, () => `${this.request.path} was not aborted`);
  }

  #end(close: WsCloseInfo): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#closed.resolve(close);
    listener?.onClose(close);
  }
}
