import {
  type ChannelEnd,
  type ChannelListener,
  encodeFrame,
  type OpenChannel,
  type TransportEnd,
  type TunnelFrame,
  unpackPlaintext,
} from '../../../src/index.ts';

/** A frame that a test writes down. */
export interface FrameLike {
  readonly type: number;
  readonly streamId: number;
  readonly payload?: Uint8Array | string | object;
  readonly hasMore?: boolean;
}

/** A channel whose other end is the test. */
export class ScriptedChannel {
  readonly #isBatching: boolean;
  #listener: ChannelListener | undefined;
  readonly sent: Uint8Array[] = [];
  /** What `send` leaves here is up to the test. */
  pendingBytes = 0;
  /** Whether what is sent stays pending. */
  isFilling = false;
  isReading = true;
  /** How the tunnel closed it. */
  closed: { readonly end: TransportEnd; readonly cause: string } | undefined;

  constructor({ isBatching = false }: { isBatching?: boolean } = {}) {
    this.#isBatching = isBatching;
  }

  readonly open: OpenChannel = (listener) => {
    this.#listener = listener;
    return this;
  };

  send(plaintext: Uint8Array): void {
    this.sent.push(plaintext);
    if (this.isFilling) this.pendingBytes += plaintext.length;
  }

  pauseReading(): void {
    this.isReading = false;
  }

  resumeReading(): void {
    this.isReading = true;
  }

  close(end: TransportEnd, cause: 'local' | 'silent' | 'fault' = 'local'): void {
    this.closed ??= { end, cause };
    queueMicrotask(() => this.end({ ...end, cause }));
  }

  establish(): void {
    this.#listener?.onEstablished({ isBatching: this.#isBatching });
  }

  /** A plaintext comes in. */
  deliver(plaintext: Uint8Array): void {
    this.#listener?.onPlaintext(plaintext);
  }

  /** Frames come in, each in a plaintext of its own. */
  receive(...frames: readonly FrameLike[]): void {
    for (const frame of frames) {
      const bytes = encodeFrame(toFrame(frame));
      this.deliver(this.#isBatching ? Uint8Array.of(0, ...bytes) : bytes);
    }
  }

  /** Everything that was sent has left. */
  drain(): void {
    this.pendingBytes = 0;
    this.#listener?.onDrain();
  }

  /** Something of what was sent has left. */
  progress(): void {
    this.#listener?.onDrain();
  }

  end(end: ChannelEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onClose(end);
  }

  /** Frames in each plaintext that was sent since the last time. */
  takePlaintexts(): readonly (readonly TunnelFrame[])[] {
    return this.sent.splice(0).map((plaintext) => {
      const frames = unpackPlaintext(plaintext, { isBatching: this.#isBatching });
      if (frames === undefined) throw new Error('a malformed plaintext was sent');
      return frames;
    });
  }

  /** Frames that were sent since the last time. */
  takeFrames(): readonly TunnelFrame[] {
    return this.takePlaintexts().flat();
  }
}

/** The frame that a test has written down. */
export function toFrame({ type, streamId, payload = '', hasMore = false }: FrameLike): TunnelFrame {
  return { type, streamId, hasMore, payload: toBytes(payload) };
}

function toBytes(payload: Uint8Array | string | object): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
