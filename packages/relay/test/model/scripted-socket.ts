import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Who hears what happens on a socket. */
export interface SocketAudience {
  /**
   * Called instead of delivering an input to the relay; must call `deliver`. `bytes` is what the relay reads.
   */
  onInput(
    input: { readonly kind: 'data' | 'end' | 'close'; readonly bytes: number },
    deliver: () => void,
  ): void;
  /** Bytes that the far end reads. */
  onBytes(bytes: Buffer): void;
  /** The relay has ended its side, and the far end has read everything. */
  onFin(): void;
  /** A write callback of the relay threw. */
  onThrow(error: unknown): void;
  now(): number;
}

export interface SocketOptions {
  readonly remoteAddress: string;
  /** Bytes that the kernel takes for a far end that does not read. */
  readonly kernelBytes: number;
  /** Bytes that Node reads ahead of a paused owner. */
  readonly readAheadBytes: number;
  /** The most the relay reads at once. */
  readonly chunkBytes: number;
  /** Whether the socket tells how much of a write the kernel has taken, as node:net does. */
  readonly tellsQueue: boolean;
}

interface Blocked {
  readonly bytes: Buffer;
  readonly done: (error?: Error | null) => void;
  takenBytes: number;
}

/**
 * Stands in for an upgraded net.Socket: a real stream towards the relay, and a kernel of a few bytes behind it.
 * A write completes at once while the kernel or a reading far end takes it all, as libuv's try-write does.
 */
export class ScriptedSocket extends Duplex {
  readonly remoteAddress: string;
  /** As node:net has it: where it is missing, nobody can tell how much of a write the kernel has taken. */
  _handle: { readonly writeQueueSize: number } | undefined;
  readonly #audience: SocketAudience;
  readonly #options: SocketOptions;
  #isRead = true;
  #kernel: Buffer[] = [];
  #kernelFilled = 0;
  #blocked: Blocked | undefined;
  #finPending = false;
  /** Bytes from the far end that Node has not read. */
  #incoming: Buffer[] = [];
  #nodeReads = true;
  #farFin: 'open' | 'sent' | 'read' = 'open';
  #isReset = false;
  /** When the kernel last took bytes that had to wait, as far as the relay can know; in ms. */
  lastTakenAtMs = 0;
  /** When a write last had to wait, in ms. */
  blockedAtMs = 0;

  constructor(options: SocketOptions, audience: SocketAudience) {
    super({ allowHalfOpen: true, readableHighWaterMark: options.readAheadBytes });
    this.remoteAddress = options.remoteAddress;
    this.#options = options;
    this.#audience = audience;
  }

  /** This socket as the relay knows it. */
  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  get isFarReading(): boolean {
    return this.#isRead;
  }

  /** Whether bytes of the far end are left that Node would read. */
  get hasWork(): boolean {
    return !this.destroyed && this.#nodeReads && (this.#incoming.length > 0 || this.#farFin === 'sent');
  }

  /** From now on the socket tells how much waits; not before the upgrade, as its handle is none to take over. */
  showQueue(): void {
    if (!this.#options.tellsQueue) return;
    const unsent = (): number =>
      this.#blocked === undefined ? 0 : this.#blocked.bytes.length - this.#blocked.takenBytes;
    this._handle = {
      get writeQueueSize(): number {
        return unsent();
      },
    };
  }

  /** The far end reads, or stops to. */
  setReading(isRead: boolean): void {
    this.#isRead = isRead;
    if (isRead) this.#move();
  }

  /** The far end reads what its kernel holds, once. */
  sip(): void {
    this.#drainKernel();
    this.#move();
  }

  /** The far end sends bytes. */
  sendToRelay(bytes: Buffer): void {
    if (this.#farFin !== 'open' || this.#isReset) return;
    this.#incoming.push(bytes);
  }

  /** The far end sends FIN. */
  finToRelay(): void {
    if (this.#farFin === 'open') this.#farFin = 'sent';
  }

  /** The far end is gone: RST. Node notices when it reads or writes. */
  resetToRelay(): void {
    this.#isReset = true;
    this.#incoming = [];
    if (this.#nodeReads) this.destroy(new Error('read ECONNRESET'));
  }

  /** Lets Node read what the far end sent, as much as it wants. Says whether it read anything. */
  deliver(): boolean {
    if (this.destroyed || !this.#nodeReads) return false;
    if (this.#isReset) {
      this.destroy(new Error('read ECONNRESET'));
      return true;
    }
    let hasRead = false;
    while (this.#nodeReads && !this.destroyed && this.#incoming.length > 0) {
      hasRead = true;
      if (!this.push(this.#takeChunk())) this.#nodeReads = false;
    }
    if (this.#incoming.length === 0 && this.#farFin === 'sent' && !this.destroyed) {
      this.#farFin = 'read';
      this.push(null);
      return true;
    }
    return hasRead;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data' && event !== 'end' && event !== 'close') return super.emit(event, ...(args as []));
    const bytes = event === 'data' ? (args[0] as Buffer).length : 0;
    this.#audience.onInput({ kind: event, bytes }, () => super.emit(event, ...(args as [])));
    return true;
  }

  override write(...args: unknown[]): boolean {
    const written = args.at(-1);
    if (typeof written !== 'function') return super.write(args[0]);
    return super.write(args[0], (error) => {
      try {
        (written as (error?: Error | null) => void)(error);
      } catch (thrown) {
        this.#audience.onThrow(thrown);
      }
    });
  }

  override _read(): void {
    this.#nodeReads = true;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isReset) return done(new Error('write EPIPE'));
    this.#blocked = { bytes, done, takenBytes: 0 };
    this.#move('at once');
  }

  override _writev(
    writes: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this._write(Buffer.concat(writes.map(({ chunk }) => chunk)), 'latin1', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#finPending = true;
    done();
    this.#move();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const blocked = this.#blocked;
    this.#blocked = undefined;
    this.#incoming = [];
    blocked?.done(new Error('write ECANCELED'));
    done(error);
  }

  #takeChunk(): Buffer {
    const [first] = this.#incoming as [Buffer];
    const { chunkBytes } = this.#options;
    if (first.length <= chunkBytes) return this.#incoming.shift() as Buffer;
    this.#incoming[0] = first.subarray(chunkBytes);
    // A copy, as each read of node:net has memory of its own.
    return Buffer.from(first.subarray(0, chunkBytes));
  }

  /** Moves what waits into the kernel, and what the kernel holds to a reading far end. */
  #move(when: 'at once' | 'late' = 'late'): void {
    if (this.#isRead) this.#drainKernel();
    const blocked = this.#blocked;
    if (blocked !== undefined) {
      const room = this.#isRead ? Number.POSITIVE_INFINITY : this.#options.kernelBytes - this.#kernelFilled;
      const part = blocked.bytes.subarray(blocked.takenBytes, blocked.takenBytes + Math.max(0, room));
      blocked.takenBytes += part.length;
      const isDone = blocked.takenBytes === blocked.bytes.length;
      if (when === 'at once' && !isDone) this.blockedAtMs = this.#audience.now();
      if (when === 'late' && part.length > 0 && (isDone || this.#options.tellsQueue)) {
        this.lastTakenAtMs = this.#audience.now();
      }
      // The kernel's bytes are copied: the relay may use its buffer again once a write is done.
      if (part.length > 0) this.#kernel.push(Buffer.from(part));
      this.#kernelFilled += part.length;
      if (this.#isRead) this.#drainKernel();
      if (isDone) {
        this.#blocked = undefined;
        blocked.done();
      }
    }
    if (this.#finPending && this.#blocked === undefined && this.#kernelFilled === 0) {
      this.#finPending = false;
      this.#audience.onFin();
    }
  }

  #drainKernel(): void {
    const chunks = this.#kernel;
    this.#kernel = [];
    this.#kernelFilled = 0;
    for (const chunk of chunks) this.#audience.onBytes(chunk);
  }
}
