import type { TransportEnd, TransportListener, TunnelTransport } from '../../src/index.ts';

/** A transport whose other end is the test. */
export class MemoryTransport implements TunnelTransport {
  /** Everything sent, in order. */
  readonly sent: (string | Uint8Array)[] = [];
  /** Every call of `close`, in order. */
  readonly closes: TransportEnd[] = [];
  /** Every change of the reading, in order. */
  readonly readings: ('pause' | 'resume')[] = [];
  bufferedBytes = 0;
  /** Called with what is sent. */
  onSent: ((message: string | Uint8Array) => void) | undefined;
  #listener: TransportListener | undefined;

  get isPaused(): boolean {
    return this.readings.at(-1) === 'pause';
  }

  get texts(): string[] {
    return this.sent.filter((message) => typeof message === 'string');
  }

  get frames(): Uint8Array[] {
    return this.sent.filter((message) => typeof message !== 'string');
  }

  send(message: string | Uint8Array): void {
    this.sent.push(message);
    this.onSent?.(message);
  }

  pauseReading(): void {
    this.readings.push('pause');
  }

  resumeReading(): void {
    this.readings.push('resume');
  }

  close(code: number, reason: string): void {
    this.closes.push({ code, reason });
  }

  terminate(): void {
    throw new Error('no test terminates');
  }

  listen(listener: TransportListener): void {
    if (this.#listener !== undefined) throw new Error('a transport has one listener');
    this.#listener = listener;
  }

  /** A message comes in. */
  deliver(message: string | Uint8Array): void {
    this.#listener?.onMessage(message);
  }

  drain(): void {
    this.#listener?.onDrain();
  }

  /** The socket closes from outside, or as the end of the closing handshake. */
  end(end: TransportEnd): void {
    this.#listener?.onClose(end);
  }
}

/** Joins two transports, so that what one sends comes in at the other, later but in order. */
export function join(one: MemoryTransport, other: MemoryTransport): void {
  one.onSent = (message) => queueMicrotask(() => other.deliver(message));
  other.onSent = (message) => queueMicrotask(() => one.deliver(message));
}
