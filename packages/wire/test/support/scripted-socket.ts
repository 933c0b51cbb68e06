import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

interface Written {
  readonly bytes: Buffer;
  readonly done: (error?: Error | null) => void;
}

/**
 * A socket whose kernel and peer are the test: it takes `roomBytes` at once and the rest when `drain` is called, and the
 * peer's bytes arrive when `receive` is called. Like a socket of node:net, its writes of a turn may be gathered, a
 * write is over when all of it is taken, and the handle tells how much is not taken yet.
 */
export class ScriptedSocket extends Duplex {
  /** How much the kernel takes without the peer, in bytes. */
  roomBytes: number;
  /** Everything the kernel has taken. */
  readonly taken: Buffer[] = [];
  /** Sizes of the writes, each of them one call of the kernel. */
  readonly writeSizes: number[] = [];
  _handle: { readonly writeQueueSize: number } | null;
  #current: Written | undefined;
  #left: Buffer = Buffer.alloc(0);

  constructor(options: { roomBytes?: number } = {}) {
    super({ allowHalfOpen: true });
    this.roomBytes = options.roomBytes ?? Number.POSITIVE_INFINITY;
    const left = (): number => this.#left.length;
    this._handle = {
      get writeQueueSize(): number {
        return left();
      },
    };
  }

  /** The same object, as what the package asks for. */
  get asSocket(): Socket {
    return asSocket(this);
  }

  /** Everything the kernel has taken, as one piece. */
  get takenBytes(): Buffer {
    return Buffer.concat(this.taken);
  }

  /** The peer takes up to `bytes` of what is being written. Gives how many there were. */
  drain(bytes = Number.POSITIVE_INFINITY): number {
    const piece = this.#left.subarray(0, bytes);
    this.taken.push(piece);
    this.#left = this.#left.subarray(piece.length);
    const current = this.#current;
    if (current !== undefined && this.#left.length === 0) {
      this.#current = undefined;
      current.done();
    }
    return piece.length;
  }

  /** The peer takes everything, also what is written because of that. */
  drainAll(): void {
    this.roomBytes = Number.POSITIVE_INFINITY;
    while (this.#left.length > 0) this.drain();
  }

  /** Bytes of the peer arrive. They are copied: a reader may change what it reads. */
  receive(bytes: Uint8Array): void {
    this.push(Buffer.from(bytes));
  }

  /** The peer ends its side. */
  receiveEnd(): void {
    this.push(null);
  }

  override _read(): void {
    // Bytes come when the test says so.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#accept({ bytes: chunk, done });
  }

  override _writev(
    chunks: readonly { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#accept({ bytes: Buffer.concat(chunks.map(({ chunk }) => chunk)), done });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#left = Buffer.alloc(0);
    this.#current = undefined;
    done(error);
  }

  #accept(written: Written): void {
    this.writeSizes.push(written.bytes.length);
    const now = written.bytes.subarray(0, this.roomBytes);
    this.roomBytes -= now.length;
    // Copied: whoever wrote them must not have them changed later, and this is where it would show.
    this.taken.push(Buffer.from(now));
    this.#left = written.bytes.subarray(now.length);
    if (this.#left.length === 0) written.done();
    else this.#current = written;
  }
}

function asSocket(stream: unknown): Socket {
  return stream as Socket;
}
