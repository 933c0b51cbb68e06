import type { ChannelEnd, ChannelListener, OpenChannel } from '../../../src/index.ts';

/** One end of two channels that are joined, without a handshake, a cipher or a network. */
export class LinkedChannel {
  readonly #isBatching: boolean;
  #listener: ChannelListener | undefined;
  #peer: LinkedChannel | undefined;
  #inbound: Uint8Array[] = [];
  #isTurnPending = false;
  #isEnded = false;
  isReading = true;
  /** While it holds, nothing is delivered to this end, and what the other end has sent stays pending there. */
  isStuck = false;
  /** Every plaintext that this end has sent. */
  readonly sent: Uint8Array[] = [];

  constructor(isBatching: boolean) {
    this.#isBatching = isBatching;
  }

  readonly open: OpenChannel = (listener) => {
    this.#listener = listener;
    queueMicrotask(() => {
      if (!this.#isEnded) listener.onEstablished({ isBatching: this.#isBatching });
    });
    return this;
  };

  join(peer: LinkedChannel): void {
    this.#peer = peer;
  }

  get pendingBytes(): number {
    return this.#peer?.waitingBytes ?? 0;
  }

  get waitingBytes(): number {
    return this.#inbound.reduce((sum, plaintext) => sum + plaintext.length, 0);
  }

  send(plaintext: Uint8Array): void {
    if (this.#isEnded) return;
    this.sent.push(plaintext);
    this.#peer?.receive(plaintext);
  }

  pauseReading(): void {
    this.isReading = false;
  }

  resumeReading(): void {
    this.isReading = true;
    this.deliverSoon();
  }

  close(end: { code: number; reason: string }, cause: ChannelEnd['cause'] = 'local'): void {
    this.end({ ...end, cause });
    this.#peer?.end({ ...end, cause: 'peer' });
  }

  end(end: ChannelEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#inbound = [];
    queueMicrotask(() => this.#listener?.onClose(end));
  }

  receive(plaintext: Uint8Array): void {
    if (this.#isEnded) return;
    this.#inbound.push(plaintext);
    this.deliverSoon();
  }

  /** Delivers one plaintext per turn, so that what is sent in between has its chance. */
  deliverSoon(): void {
    if (this.#isTurnPending) return;
    this.#isTurnPending = true;
    setImmediate(() => {
      this.#isTurnPending = false;
      if (this.#isEnded || !this.isReading || this.isStuck) return;
      const plaintext = this.#inbound.shift();
      if (plaintext === undefined) return;
      this.#listener?.onPlaintext(plaintext);
      this.#peer?.drain();
      if (this.#inbound.length > 0) this.deliverSoon();
    });
  }

  drain(): void {
    if (!this.#isEnded) this.#listener?.onDrain();
  }
}

/** Two ends of a tunnel's channel. */
export function linkChannels({ isBatching = true }: { isBatching?: boolean } = {}): {
  readonly client: LinkedChannel;
  readonly host: LinkedChannel;
} {
  const client = new LinkedChannel(isBatching);
  const host = new LinkedChannel(isBatching);
  client.join(host);
  host.join(client);
  return { client, host };
}
