import { closePayload, encodeFrame, opcodes, type OutgoingFrame } from '@openchambery/testkit';
import { FrameLog, type Message } from './frame-log.ts';
import { ScriptedSocket, type SocketAudience, type SocketOptions } from './scripted-socket.ts';

/** What a peer has sent, with where it ends in the peer's bytes: there the relay knows of it. */
export type Unit = { readonly endsAt: number } & (
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'ping'; readonly payload: string }
  | { readonly kind: 'close'; readonly code: number }
  | { readonly kind: 'fault'; readonly code: number }
);

/** Ways to break RFC 6455 or the message limit, and the code that each is answered with. */
export type FaultKind =
  | 'unmasked'
  | 'reserved-bits'
  | 'opcode'
  | 'continuation'
  | 'close-code'
  | 'close-text';

const FAULTS: Readonly<
  Record<FaultKind, { readonly code: number; readonly frame: OutgoingFrame; readonly seenAfter?: number }>
> = {
  unmasked: {
    code: 1002,
    frame: { opcode: opcodes.text, payload: 'fault', masked: false },
    seenAfter: 2,
  },
  'reserved-bits': { code: 1002, frame: { opcode: opcodes.text, payload: 'fault', rsv: 4 }, seenAfter: 2 },
  opcode: { code: 1002, frame: { opcode: 3, payload: 'fault' }, seenAfter: 2 },
  continuation: { code: 1002, frame: { opcode: opcodes.continuation, payload: 'fault' }, seenAfter: 2 },
  'close-code': { code: 1002, frame: { opcode: opcodes.close, payload: closePayload(1006) } },
  'close-text': {
    code: 1007,
    frame: {
      opcode: opcodes.close,
      payload: Buffer.concat([closePayload(1000), Buffer.from([0xc3, 0x28])]),
    },
  },
};
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

/** How a peer behaves beyond what a schedule makes it do. */
export interface Manners {
  readonly answersCloses: boolean;
}

/** The far end of a scripted socket: sends what the schedule says, and answers as its manners have it. */
export class ScriptedPeer {
  readonly name: string;
  readonly socket: ScriptedSocket;
  readonly log: FrameLog = new FrameLog();
  readonly units: Unit[] = [];
  /** The most the relay reads of it at once. */
  readonly chunkBytes: number;
  readonly #manners: Manners;
  answersPings = true;
  hasReset = false;
  hasSentClose = false;
  hasSentFin = false;
  hasFin = false;
  #sentBytes = 0;
  #answeredPings = 0;
  #messageCount = 0;
  /** Bytes that came with the upgrade request: the relay has them from the start. */
  readonly #headParts: Buffer[] = [];
  #isHeadOpen = true;

  constructor(
    name: string,
    options: SocketOptions & { readonly manners: Manners },
    audience: Pick<SocketAudience, 'onInput' | 'onThrow' | 'now'>,
  ) {
    this.name = name;
    this.chunkBytes = options.chunkBytes;
    this.#manners = options.manners;
    this.socket = new ScriptedSocket(options, {
      ...audience,
      onBytes: (bytes) => this.log.read(bytes),
      onFin: () => (this.hasFin = true),
    });
  }

  /** Whether it can still send. */
  get maySend(): boolean {
    return !this.hasReset && !this.hasSentFin && !this.hasSentClose && !this.socket.destroyed;
  }

  /** Sends a message that names its sender, in one frame or in `fragments` with pings between them. */
  sendMessage(length: number, { isBinary = false, fragments = 1 } = {}): void {
    const body = `${this.name}#${this.#messageCount++} `.padEnd(length, 'abcdefghij');
    const step = Math.max(1, Math.ceil(body.length / fragments));
    for (let at = 0; at < body.length; at += step) {
      const isLast = at + step >= body.length;
      const opcode = at > 0 ? opcodes.continuation : isBinary ? opcodes.binary : opcodes.text;
      this.#send({ opcode, payload: Buffer.from(body.slice(at, at + step), 'latin1'), fin: isLast });
      if (!isLast) this.sendPing();
    }
    this.units.push({ kind: 'message', message: { isBinary, body }, endsAt: this.#sentBytes });
  }

  sendPing(): void {
    const payload = `ping of ${this.name} at ${this.#sentBytes}`;
    this.#send({ opcode: opcodes.ping, payload });
    this.units.push({ kind: 'ping', payload, endsAt: this.#sentBytes });
  }

  sendClose(code: number): void {
    this.hasSentClose = true;
    this.#send({
      opcode: opcodes.close,
      payload: code === 1005 ? closePayload() : closePayload(code, 'planned'),
    });
    this.units.push({ kind: 'close', code, endsAt: this.#sentBytes });
  }

  sendFault(kind: FaultKind): void {
    const { code, frame, seenAfter } = FAULTS[kind];
    const startsAt = this.#sentBytes;
    this.#send(frame);
    this.hasSentClose = true;
    const endsAt = seenAfter === undefined ? this.#sentBytes : startsAt + seenAfter;
    this.units.push({ kind: 'fault', code, endsAt });
  }

  /** Sends the start of a message over the limit: its header is enough to refuse it. */
  sendOversize(maxFrameBytes: number): void {
    const startsAt = this.#sentBytes;
    this.#send({ opcode: opcodes.binary, payload: 'over', declaredBytes: maxFrameBytes + 1 });
    this.hasSentClose = true;
    const lengthBytes = maxFrameBytes + 1 < 126 ? 0 : maxFrameBytes + 1 < 65_536 ? 2 : 8;
    this.units.push({ kind: 'fault', code: 1009, endsAt: startsAt + 2 + lengthBytes + 4 });
  }

  halfClose(): void {
    this.hasSentFin = true;
    this.socket.finToRelay();
  }

  reset(): void {
    this.hasReset = true;
    this.socket.resetToRelay();
  }

  /** What was sent so far goes with the upgrade request. */
  takeHead(): Buffer {
    this.#isHeadOpen = false;
    return Buffer.concat(this.#headParts);
  }

  /** Answers what was read, as a WebSocket library would between two turns. Says whether there was anything. */
  react(): boolean {
    if (this.hasReset || this.hasSentFin || this.socket.destroyed) return false;
    if (this.log.close !== undefined && !this.hasSentClose && this.#manners.answersCloses) {
      this.sendClose(this.log.close.code);
      return true;
    }
    if (this.answersPings && this.#answeredPings < this.log.pings && !this.hasSentClose) {
      this.#answeredPings = this.log.pings;
      this.#send({ opcode: opcodes.pong });
      return true;
    }
    if (this.hasFin && this.#manners.answersCloses) {
      this.halfClose();
      return true;
    }
    return false;
  }

  #send(frame: OutgoingFrame): void {
    const bytes = encodeFrame(frame);
    this.#sentBytes += bytes.length;
    if (this.#isHeadOpen) this.#headParts.push(bytes);
    else this.socket.sendToRelay(bytes);
  }
}
