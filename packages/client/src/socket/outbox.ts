import type { TunnelSocket } from '@openchambery/tunnel';

type Message = string | Uint8Array;

interface Waiting {
  /** `undefined` while a Blob is being read. */
  message: Message | undefined;
  readonly bytes: number;
}

/** Sends what a program sends in the order it did, though the bytes of a Blob come later. */
export class Outbox {
  readonly #socket: TunnelSocket;
  readonly #onFault: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #onEmpty: (() => void) | undefined;

  /** @param onFault called when a Blob cannot be read; nothing more is sent then. */
  constructor(socket: TunnelSocket, onFault: (error: unknown) => void) {
    this.#socket = socket;
    this.#onFault = onFault;
  }

  /** Bytes that wait here or in the tunnel. */
  get bufferedBytes(): number {
    return this.#waitingBytes + this.#socket.bufferedBytes;
  }

  send(message: Message): void {
    if (this.#waiting.length === 0) this.#socket.send(message);
    else this.#wait({ message, bytes: byteLength(message) });
  }

  sendBlob(blob: Blob): void {
    const entry: Waiting = { message: undefined, bytes: blob.size };
    this.#wait(entry);
    void this.#read(blob, entry);
  }

  /** Calls back when everything sent so far is with the tunnel, perhaps at once. */
  whenEmpty(callback: () => void): void {
    if (this.#waiting.length === 0) callback();
    else this.#onEmpty = callback;
  }

  /** Nothing more is sent. */
  drop(): void {
    this.#waiting = [];
    this.#onEmpty = undefined;
  }

  async #read(blob: Blob, entry: Waiting): Promise<void> {
    try {
      entry.message = new Uint8Array(await blob.arrayBuffer());
    } catch (error) {
      if (this.#waiting.length === 0) return;
      this.drop();
      this.#onFault(error);
    }
    this.#flush();
  }

  #wait(entry: Waiting): void {
    this.#waiting.push(entry);
    this.#waitingBytes += entry.bytes;
  }

  #flush(): void {
    // One Blob opens the way for all that is whole behind it.
    const next = this.#waiting.findIndex(({ message }) => message === undefined);
    const ready = this.#waiting.splice(0, next === -1 ? this.#waiting.length : next);
    for (const { message, bytes } of ready) {
      this.#waitingBytes -= bytes;
      if (message !== undefined) this.#socket.send(message);
    }
    if (this.#waiting.length > 0) return;
    this.#onEmpty?.();
    this.#onEmpty = undefined;
  }
}

/** In bytes of UTF-8, or as it is. */
export function byteLength(message: Message): number {
  return typeof message === 'string' ? new TextEncoder().encode(message).length : message.length;
}
