import type { AeadKey } from '../cipher/aead.ts';
import { FrameOpener } from '../cipher/frame-opener.ts';
import { FrameSealer } from '../cipher/frame-sealer.ts';
import { MAX_PLAINTEXT_BYTES, SEALED_OVERHEAD_BYTES } from '../limits.ts';
import { InOrder } from './in-order.ts';
import { ReadingGate } from './reading-gate.ts';
import type { ChannelEnd, ChannelListener, SecureChannel } from './secure-channel.ts';
import type { TransportEnd, TunnelTransport } from './transport.ts';

/** Encrypted frames that may wait to be opened while the network is still read. */
const MAX_BACKLOG = { count: 64, byteLength: 1024 * 1024 } as const;

/** One side of the handshake, as the channel sees it. */
export interface ChannelSide {
  onText(text: string): void;
  /** What is wrong with a binary message at this time. */
  refuseCiphertext(): TransportEnd | undefined;
  /** The channel is over: no timer may be left. */
  stop(): void;
}

/** What the handshake has led to. */
export interface LinkKeys {
  readonly sendKey: AeadKey;
  readonly receiveKey: AeadKey;
  /** 4 random bytes. */
  readonly ivPrefix: Uint8Array;
  readonly isBatching: boolean;
}

type LinkState =
  | { readonly name: 'opening' }
  | { readonly name: 'established'; readonly sealer: FrameSealer; readonly opener: FrameOpener }
  /** The socket has gone; what came before is still being opened. */
  | { readonly name: 'draining'; readonly end: ChannelEnd }
  | { readonly name: 'over' };

/** A channel over one transport, whichever side: fails closed, and after that is silent. */
export class SealedLink implements SecureChannel {
  readonly #transport: TunnelTransport;
  readonly #listener: ChannelListener;
  readonly #gate: ReadingGate;
  readonly #outgoing: InOrder<Uint8Array>;
  readonly #incoming: InOrder<Uint8Array | undefined>;
  #side: ChannelSide | undefined;
  #state: LinkState = { name: 'opening' };

  constructor(transport: TunnelTransport, listener: ChannelListener) {
    this.#transport = transport;
    this.#listener = listener;
    this.#gate = new ReadingGate(transport);
    this.#outgoing = new InOrder({
      onResult: (frame) => transport.send(frame),
      onFailure: () => this.#failSealing(),
      onFewer: () => this.#onDrain(),
    });
    this.#incoming = new InOrder({
      onResult: (plaintext) => this.#deliver(plaintext),
      onFailure: () => this.#deliver(undefined),
      onFewer: () => this.#onFewerIncoming(),
    });
  }

  get pendingBytes(): number {
    return this.#state.name === 'established' ? this.#outgoing.byteLength + this.#transport.bufferedBytes : 0;
  }

  get isOver(): boolean {
    return this.#state.name === 'over' || this.#state.name === 'draining';
  }

  /** Begins to listen. */
  start(side: ChannelSide): void {
    this.#side = side;
    this.#transport.listen({
      onMessage: (message) => this.#onMessage(message),
      onDrain: () => this.#onDrain(),
      onClose: (end) => this.#onTransportClose(end),
    });
  }

  /** Sends a text of the handshake. */
  sendText(text: string): void {
    if (!this.isOver) this.#transport.send(text);
  }

  /** The handshake is done. */
  establish(keys: LinkKeys): void {
    if (this.isOver) return;
    if (this.#state.name === 'established') throw new Error('the channel is established already');
    const { sendKey, receiveKey, ivPrefix, isBatching } = keys;
    const sealer = new FrameSealer({ key: sendKey, ivPrefix });
    this.#state = { name: 'established', sealer, opener: new FrameOpener(receiveKey) };
    this.#listener.onEstablished({ isBatching });
  }

  send(plaintext: Uint8Array): void {
    if (this.isOver) return;
    if (this.#state.name !== 'established') throw new Error('nothing can be sent before the handshake');
    if (plaintext.length > MAX_PLAINTEXT_BYTES) {
      throw new RangeError(`a plaintext has at most ${MAX_PLAINTEXT_BYTES} bytes, got ${plaintext.length}`);
    }
    const byteLength = plaintext.length + SEALED_OVERHEAD_BYTES;
    let frame: Uint8Array | Promise<Uint8Array>;
    try {
      frame = this.#state.sealer.seal(plaintext);
    } catch {
      this.#failSealing();
      return;
    }
    this.#outgoing.add(frame, byteLength);
  }

  pauseReading(): void {
    if (!this.isOver) this.#gate.pause('listener');
  }

  resumeReading(): void {
    this.#gate.resume('listener');
  }

  close(end: TransportEnd, cause: 'local' | 'silent' | 'fault' = 'local'): void {
    this.end({ code: end.code, reason: end.reason, cause });
  }

  /** Ends the channel from this side. The listener hears of it soon, without waiting for the socket. */
  end(end: ChannelEnd): void {
    if (this.#state.name === 'over') return;
    this.#stop();
    this.#gate.open();
    this.#transport.close(end.code, end.reason);
    queueMicrotask(() => this.#listener.onClose(end));
  }

  /** Ends the channel because of what the peer sent. */
  fail({ code, reason }: TransportEnd): void {
    this.end({ code, reason, cause: 'fault' });
  }

  #onMessage(message: string | Uint8Array): void {
    if (this.isOver) return;
    if (typeof message === 'string') {
      this.#side?.onText(message);
      return;
    }
    const fault = this.#side?.refuseCiphertext();
    if (fault !== undefined) this.fail(fault);
    else if (this.#state.name === 'established') this.#receive(this.#state.opener, message);
  }

  #receive(opener: FrameOpener, frame: Uint8Array): void {
    const { length } = frame;
    this.#incoming.add(opener.open(frame), length);
    const { count, byteLength } = this.#incoming;
    if (count > MAX_BACKLOG.count || byteLength > MAX_BACKLOG.byteLength) this.#gate.pause('backlog');
  }

  #deliver(plaintext: Uint8Array | undefined): void {
    if (plaintext === undefined) this.fail({ code: 1011, reason: 'a frame could not be decrypted' });
    else this.#listener.onPlaintext(plaintext);
  }

  #onFewerIncoming(): void {
    const { count, byteLength } = this.#incoming;
    if (this.#state.name === 'draining') {
      if (count === 0) this.#finish(this.#state.end);
    } else if (count <= MAX_BACKLOG.count / 2 && byteLength <= MAX_BACKLOG.byteLength / 2)
      this.#gate.resume('backlog');
  }

  #onDrain(): void {
    if (this.#state.name === 'established') this.#listener.onDrain();
  }

  #onTransportClose({ code, reason }: TransportEnd): void {
    if (this.isOver) return;
    const end: ChannelEnd = { code, reason, cause: 'peer' };
    if (this.#incoming.count === 0) {
      this.#finish(end);
      return;
    }
    this.#outgoing.clear();
    this.#side?.stop();
    this.#state = { name: 'draining', end };
  }

  #finish(end: ChannelEnd): void {
    this.#stop();
    this.#listener.onClose(end);
  }

  #stop(): void {
    this.#state = { name: 'over' };
    this.#outgoing.clear();
    this.#incoming.clear();
    this.#side?.stop();
  }

  #failSealing(): void {
    this.fail({ code: 1011, reason: 'a frame could not be encrypted' });
  }
}
