import { randomBytes } from 'node:crypto';
import { Inbox } from '../inbox.ts';
import type { CloseInfo, Peer } from '../ws-peer.ts';
import {
  batchPlaintext,
  encodePeerFrame,
  PEER_FRAME,
  singlePlaintext,
  splitPlaintext,
} from './peer-frame.ts';
import type { PeerFrame, PeerFrameInput } from './peer-frame.ts';
import { openMessage, sealMessage } from './sealed-message.ts';

/** A frame that arrived, with the message that brought it. */
export interface ReceivedFrame extends PeerFrame {
  /** Counter of the encrypted message: frames that have it in common came in one batch. */
  readonly counter: bigint;
  /** Length of the message's plaintext. */
  readonly plaintextBytes: number;
  /** First byte of the plaintext where both ends batch: 0 single, 1 batch. */
  readonly envelope: number | undefined;
}

/** What to look at while waiting for a frame. */
export interface FrameFilter {
  readonly type?: number | undefined;
  readonly id?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Keys of an established channel, from this end's view. */
export interface EstablishedChannel {
  readonly sendKey: Buffer;
  readonly receiveKey: Buffer;
  readonly isBatching: boolean;
}

export interface SealOverrides {
  /** @default the next one, which is used up then */
  readonly counter?: bigint | undefined;
  readonly ivPrefix?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

/** Longest that Node's timers wait. */
const FOREVER_MS = 2 ** 31 - 1;
const MAX_PLAINTEXT_BYTES = 65_536;
const MAX_PAYLOAD_BYTES = MAX_PLAINTEXT_BYTES - 10;

/**
 * One end of a tunnel that follows the contract to the letter, or breaks it when a test says so. Whatever the other end
 * sends against the contract ends the inbox with a reason that says which sentence.
 */
export class TunnelEnd {
  readonly peer: Peer;
  /** Frames, without the pings that were answered. */
  readonly frames: Inbox<ReceivedFrame>;
  /** Text messages: the handshake. */
  readonly texts: Inbox<string>;
  /** 4 bytes in front of every IV that this end uses. */
  readonly ivPrefix: Buffer = randomBytes(4);
  /** Whether pings are answered. A test may change it. */
  answersPings = true;
  /** Pings that arrived. */
  pingCount = 0;
  /** IV prefix of the other end, from its first message on. */
  peerIvPrefix: Buffer | undefined;
  #channel: EstablishedChannel | undefined;
  #sentCounter = 0n;
  #receivedCounter = 0n;

  constructor(name: string, peer: Peer) {
    this.peer = peer;
    this.frames = new Inbox(`frames of ${name}`, describeFrame);
    this.texts = new Inbox(`texts of ${name}`, (text) => text.slice(0, 80));
    void this.#listen();
  }

  get isEstablished(): boolean {
    return this.#channel !== undefined;
  }

  /** Whether both ends offered batching. */
  get isBatching(): boolean {
    return this.#established.isBatching;
  }

  /** Counter of the latest message that this end sent. */
  get sentCounter(): bigint {
    return this.#sentCounter;
  }

  /** Counter of the latest message that arrived. */
  get receivedCounter(): bigint {
    return this.#receivedCounter;
  }

  /** The next frame that fits; others stay. */
  nextFrame(filter: FrameFilter = {}): Promise<ReceivedFrame> {
    const { type, id, timeoutMs } = filter;
    return this.frames.take({
      matches: (frame) =>
        (type === undefined || frame.type === type) && (id === undefined || frame.id === id),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  /** The next frame that fits, its payload read as JSON. */
  async nextJson<T = unknown>(filter: FrameFilter = {}): Promise<T> {
    return JSON.parse((await this.nextFrame(filter)).payload.toString()) as T;
  }

  /** Sends one frame in a message of its own; resolves when the kernel has it. Need not be awaited. */
  sendFrame(type: number, id: number, payload?: unknown): Promise<void> {
    return this.send({ type, id, payload });
  }

  /** Like `sendFrame`, with the bit for fragments. */
  send(frame: PeerFrameInput): Promise<void> {
    return this.sendPlaintext(singlePlaintext(encodePeerFrame(frame), this.isBatching));
  }

  /** Sends several frames in one message. Only where both ends batch, unless it is meant to be wrong. */
  sendBatch(frames: readonly PeerFrameInput[]): Promise<void> {
    return this.sendPlaintext(batchPlaintext(frames.map((frame) => encodePeerFrame(frame))));
  }

  /** Encrypts any bytes as the next message and sends them. */
  sendPlaintext(plaintext: Buffer): Promise<void> {
    return this.sendRaw(this.seal(plaintext));
  }

  /** Encrypts without sending: to send late, twice, or under another counter, IV or key. */
  seal(plaintext: Buffer, overrides: SealOverrides = {}): Buffer {
    const { sendKey } = this.#established;
    const counter = overrides.counter ?? (this.#sentCounter += 1n);
    const { key = sendKey, ivPrefix = this.ivPrefix } = overrides;
    return sealMessage({ key, ivPrefix, counter, plaintext });
  }

  /** Sends a message as it is: a string as text, a buffer as binary. */
  sendRaw(message: string | Buffer): Promise<void> {
    return this.peer.send(message);
  }

  /** How the socket ended. */
  closed(timeoutMs?: number): Promise<CloseInfo> {
    return this.peer.closed(timeoutMs);
  }

  close(code?: number, reason?: string): void {
    this.peer.close(code, reason);
  }

  protected establish(channel: EstablishedChannel): void {
    this.#channel = channel;
  }

  /** A text message arrived; what it does besides waiting in `texts`. */
  protected onText(_text: string): void {
    // Ends that react override this.
  }

  get #established(): EstablishedChannel {
    if (this.#channel === undefined) throw new Error('the channel is not established');
    return this.#channel;
  }

  async #listen(): Promise<void> {
    try {
      for (;;) {
        const { data, isBinary } = await this.peer.message(FOREVER_MS);
        if (isBinary) this.#receive(data);
        else this.#receiveText(data.toString());
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.frames.end(why);
      this.texts.end(why);
    }
  }

  #receiveText(text: string): void {
    this.texts.push(text);
    this.onText(text);
  }

  #receive(message: Buffer): void {
    if (this.#channel === undefined) throw new Error('contract: ciphertext before establishment');
    const { receiveKey, isBatching } = this.#channel;
    const { ivPrefix, counter, plaintext } = openMessage(receiveKey, message);
    this.peerIvPrefix ??= ivPrefix;
    if (!ivPrefix.equals(this.peerIvPrefix)) throw new Error('contract: another IV prefix');
    if (counter !== this.#receivedCounter + 1n) {
      throw new Error(`contract: counter ${counter} after ${this.#receivedCounter}`);
    }
    this.#receivedCounter = counter;
    if (plaintext.length > MAX_PLAINTEXT_BYTES) throw new Error(`contract: plaintext of ${plaintext.length}`);
    const envelope = isBatching ? plaintext[0] : undefined;
    for (const frame of splitPlaintext(plaintext, isBatching)) {
      this.#accept({ ...frame, counter, envelope, plaintextBytes: plaintext.length });
    }
  }

  #accept(frame: ReceivedFrame): void {
    const isMessage = frame.type === PEER_FRAME.wsText || frame.type === PEER_FRAME.wsBinary;
    if (frame.hasMore && !isMessage) throw new Error(`contract: a fragment of type ${frame.type}`);
    if (frame.payload.length > MAX_PAYLOAD_BYTES) {
      throw new Error(`contract: a payload of ${frame.payload.length} bytes`);
    }
    if (frame.type === PEER_FRAME.ping) {
      this.pingCount += 1;
      if (this.answersPings) {
        void this.sendFrame(PEER_FRAME.pong, frame.id);
        return;
      }
    }
    this.frames.push(frame);
  }
}

function describeFrame({ type, id, payload, hasMore }: ReceivedFrame): string {
  const name = Object.entries(PEER_FRAME).find(([, value]) => value === type)?.[0] ?? `type ${type}`;
  return `${name} of ${id}: ${payload.length} bytes${hasMore ? ', more' : ''}`;
}
