/** Where bytes go; `written` may be less than there was. Both calls fail with EAGAIN rather than wait. */
export interface LogSink {
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Gives back how much was written; throws what went wrong. */
  writeNow(bytes: Buffer): number;
}

/** What a {@link LogWriter} needs. */
export interface LogWriterOptions {
  readonly sink: LogSink;
  /** Called when everything that waited is written, after lines had to be dropped. */
  onRecovered(lostCount: number): void;
}

/** What may wait for a sink that is slow, stuck or failing; later lines are dropped. In bytes. */
const MAX_WAITING_BYTES = 1_048_576;

/** How soon a sink that was full is tried again, in ms. A descriptor, unlike a stream, does not say when. */
const RETRY_MS = 100;

const NOTHING = Buffer.alloc(0);

/**
 * Writes lines in the background, in order. No sink can stop the process or keep it from ending: what cannot be
 * written waits, up to a bound, for the next attempt. pino's own destination retries without end at the exit.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #lines: string[] = [];
  /** The part of earlier lines that is being written or, after a failure, is to be written next. */
  #chunk = NOTHING;
  #waitingBytes = 0;
  #lostCount = 0;
  /** `full`: a timer runs until the next attempt. */
  #state: 'idle' | 'writing' | 'full' = 'idle';
  #isEnding = false;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Takes whole lines, or drops and counts them if too much waits. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#lostCount += 1;
    } else {
      this.#waitingBytes += bytes;
      this.#lines.push(line);
    }
    if (this.#isEnding) this.#writeNow();
    else if (this.#state === 'idle') this.#writeNext();
  }

  /** Resolves once nothing waits, or the sink has failed in a way that waiting does not help. */
  flush(): Promise<void> {
    if (this.#state === 'idle') return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** For a process that ends: offers what waits, and each further line, to the sink at once. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    // The system has the chunk already; only what comes after it is left to be written here.
    if (this.#state === 'writing') this.#drop(this.#chunk.length);
    this.#writeNow();
  }

  #writeNext(): void {
    if (this.#isEnding) return;
    this.#state = 'writing';
    this.#options.sink.write(this.#nextChunk(), (error, written) => {
      if (this.#isEnding) return;
      if (error === null) this.#advance(written);
      else this.#fail(error);
    });
  }

  #advance(written: number): void {
    this.#drop(written);
    if (this.#waitingBytes > 0) return this.#writeNext();
    this.#rest();
    const lostCount = this.#lostCount;
    this.#lostCount = 0;
    if (lostCount > 0) this.#options.onRecovered(lostCount);
  }

  #fail({ code }: NodeJS.ErrnoException): void {
    // A full disk or a reader that is gone can last: the next line tries again, no timer does.
    if (code !== 'EAGAIN') return this.#rest();
    this.#state = 'full';
    setTimeout(() => this.#writeNext(), RETRY_MS);
  }

  #rest(): void {
    this.#state = 'idle';
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #writeNow(): void {
    try {
      while (this.#waitingBytes > 0) this.#drop(this.#options.sink.writeNow(this.#nextChunk()));
    } catch {
      // This was the last attempt, and the log is where we would have told.
    }
  }

  #nextChunk(): Buffer {
    if (this.#chunk.length === 0) this.#chunk = Buffer.from(this.#lines.splice(0).join(''));
    return this.#chunk;
  }

  #drop(written: number): void {
    this.#waitingBytes -= written;
    this.#chunk = this.#chunk.subarray(written);
  }
}
