import type { IncomingBytes, OutgoingBytes } from '@openchambery/tunnel';

/** Bytes on their way from a test to the dispatcher. */
export class ScriptedUpload implements IncomingBytes {
  readonly #chunks: Uint8Array[] = [];
  #isEnded = false;
  #failure: Error | undefined;
  #reader: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  readonly #discarded = Promise.withResolvers<void>();
  /** Bytes that the dispatcher has taken. */
  takenBytes = 0;
  isDiscarded = false;

  /** Resolves when nobody wants the rest. */
  get discarded(): Promise<void> {
    return this.#discarded.promise;
  }

  send(chunk: string | Uint8Array): void {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#serve();
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk !== undefined) this.send(chunk);
    this.#isEnded = true;
    this.#serve();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#serve();
  }

  read(): Promise<Uint8Array | undefined> {
    if (this.#reader !== undefined) throw new Error('two reads at a time');
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#serve();
    return promise;
  }

  discard(): void {
    this.isDiscarded = true;
    this.#discarded.resolve();
  }

  #serve(): void {
    const reader = this.#reader;
    const [chunk] = this.#chunks;
    if (reader === undefined || (this.#failure ?? chunk ?? (this.#isEnded || undefined)) === undefined)
      return;
    this.#reader = undefined;
    if (this.#failure !== undefined) {
      reader.reject(this.#failure);
      return;
    }
    this.#chunks.shift();
    this.takenBytes += chunk?.length ?? 0;
    reader.resolve(chunk);
  }
}

/** Bytes on their way from the dispatcher to a test, which takes them when it likes. */
export class ScriptedDownload implements OutgoingBytes {
  readonly #windowBytes: number;
  #chunks: Uint8Array[] = [];
  #isOver = false;
  readonly #changed: (() => void)[] = [];
  /** Bytes that wait for the test. */
  waitingBytes = 0;
  /** Most bytes that ever waited. */
  peakBytes = 0;
  isEnded = false;

  constructor(windowBytes: number) {
    this.#windowBytes = windowBytes;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver || this.isEnded) return true;
    this.#chunks.push(chunk);
    this.waitingBytes += chunk.length;
    this.peakBytes = Math.max(this.peakBytes, this.waitingBytes);
    this.#change();
    return this.#hasRoom();
  }

  async drained(): Promise<void> {
    while (!this.#hasRoom() && !this.#isOver) await this.#change$();
  }

  end(): void {
    this.isEnded = true;
    this.#change();
  }

  /** The stream broke. */
  breakOff(): void {
    this.#isOver = true;
    this.#change();
  }

  /** What waits, as soon as something does; `undefined` at the end. */
  async take(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0) {
      if (this.isEnded) return undefined;
      if (this.#isOver) throw new Error('the stream broke');
      await this.#change$();
    }
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.waitingBytes = 0;
    this.#change();
    return bytes;
  }

  /** Everything to the end. */
  async all(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let piece = await this.take(); piece !== undefined; piece = await this.take()) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  #hasRoom(): boolean {
    return this.waitingBytes < this.#windowBytes;
  }

  #change(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }

  #change$(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed.push(resolve);
    });
  }
}
