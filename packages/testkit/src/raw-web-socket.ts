import { createHash, randomBytes } from 'node:crypto';
import { RawSocket } from './raw-socket.ts';
import type { HttpResponse, RawSocketOptions } from './raw-socket.ts';
import type { CloseInfo } from './ws-peer.ts';

/** RFC 6455 §5.2. */
export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

export interface OutgoingFrame {
  readonly opcode: number;
  /** @default empty */
  readonly payload?: Buffer | string;
  /** @default true */
  readonly fin?: boolean;
  /** The three reserved bits as a number from 0 to 7. @default 0 */
  readonly rsv?: number;
  /** Clients must mask. @default true */
  readonly masked?: boolean;
  /** What the header says, when it is to lie. @default the payload's length */
  readonly declaredBytes?: number | bigint;
}

export interface IncomingFrame {
  readonly fin: boolean;
  readonly rsv: number;
  readonly opcode: number;
  readonly masked: boolean;
  readonly payload: Buffer;
}

export interface UpgradeRequest {
  readonly target: string;
  /** @default GET */
  readonly method?: string;
  /** Replaces headers of the ordinary handshake; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The bytes of one frame, right or wrong, as a client would send it. */
export function encodeFrame(frame: OutgoingFrame): Buffer {
  const { opcode, fin = true, rsv = 0, masked = true } = frame;
  const payload = Buffer.from(frame.payload ?? '');
  const length = frame.declaredBytes ?? payload.length;
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const maskBit = masked ? 0x80 : 0;
  const header = [Buffer.from([first]), encodeLength(length, maskBit)];
  if (!masked) return Buffer.concat([...header, payload]);
  const key = randomBytes(4);
  const body = Buffer.from(payload);
  for (let i = 0; i < body.length; i++) body[i] = (body[i] ?? 0) ^ (key[i & 3] ?? 0);
  return Buffer.concat([...header, key, body]);
}

/** The bytes of an upgrade request and the accept value that answers it. */
export function encodeUpgrade(request: UpgradeRequest): { readonly bytes: string; readonly accept: string } {
  const key = randomBytes(16).toString('base64');
  const headers: Record<string, string | undefined> = {
    Host: 'relay.test',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': key,
    'Sec-WebSocket-Version': '13',
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return {
    bytes: [`${request.method ?? 'GET'} ${request.target} HTTP/1.1`, ...lines, '', ''].join('\r\n'),
    // RFC 6455 §1.3.
    accept: createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64'),
  };
}

/** A WebSocket that never answers by itself: no pong, no close reply. */
export class RawWebSocket {
  readonly raw: RawSocket;
  /** The 101 response. */
  readonly handshake: HttpResponse;

  private constructor(raw: RawSocket, handshake: HttpResponse) {
    this.raw = raw;
    this.handshake = handshake;
  }

  /** Upgrades a fresh connection; anything but a right 101 throws. */
  static async open(options: RawSocketOptions & { readonly request: UpgradeRequest }): Promise<RawWebSocket> {
    const raw = await RawSocket.connect(options);
    const { bytes, accept } = encodeUpgrade(options.request);
    void raw.write(bytes);
    const handshake = await raw.responseHead();
    if (handshake.status !== 101) throw new Error(`expected 101, got ${handshake.status}`);
    const got = handshake.headers['sec-websocket-accept'];
    if (got !== accept) throw new Error(`expected sec-websocket-accept ${accept}, got ${got}`);
    return new RawWebSocket(raw, handshake);
  }

  send(frame: OutgoingFrame): Promise<void> {
    return this.raw.write(encodeFrame(frame));
  }

  /** Sends a close frame, without a body when there is no code. */
  sendClose(code?: number, reason = ''): Promise<void> {
    return this.send({ opcode: opcodes.close, payload: closePayload(code, reason) });
  }

  /** The next frame of any kind. */
  frame(timeoutMs?: number): Promise<IncomingFrame> {
    return this.raw.read('a WebSocket frame', parseFrame, timeoutMs);
  }

  /** The next frame with one of these opcodes; others that come before are dropped. */
  async frameOf(wanted: readonly number[], timeoutMs?: number): Promise<IncomingFrame> {
    for (;;) {
      const frame = await this.frame(timeoutMs);
      if (wanted.includes(frame.opcode)) return frame;
    }
  }

  /** Code and reason of the close frame; frames before it are dropped, it is not answered. */
  async closeFrame(timeoutMs?: number): Promise<CloseInfo> {
    const { payload } = await this.frameOf([opcodes.close], timeoutMs);
    if (payload.length === 0) return { code: 1005, reason: '' };
    return { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() };
  }

  /** The next data message, put together from its fragments. */
  async message(timeoutMs?: number): Promise<{ readonly data: Buffer; readonly isBinary: boolean }> {
    const first = await this.frameOf([opcodes.text, opcodes.binary], timeoutMs);
    const parts = [first.payload];
    for (let last = first; !last.fin; ) {
      last = await this.frameOf([opcodes.continuation], timeoutMs);
      parts.push(last.payload);
    }
    return { data: Buffer.concat(parts), isBinary: first.opcode === opcodes.binary };
  }
}

/** The body of a close frame. */
export function closePayload(code?: number, reason = ''): Buffer {
  if (code === undefined) return Buffer.alloc(0);
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
}

function encodeLength(length: number | bigint, maskBit: number): Buffer {
  if (length < 126) return Buffer.from([maskBit | Number(length)]);
  if (length < 65_536) return Buffer.from([maskBit | 126, Number(length) >> 8, Number(length) & 0xff]);
  const bytes = Buffer.alloc(9);
  bytes[0] = maskBit | 127;
  bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

function parseFrame(bytes: Buffer): { value: IncomingFrame; usedBytes: number } | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  if (bytes.length < 2 + lengthBytes) return undefined;
  const length =
    short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  const masked = (second & 0x80) !== 0;
  const start = 2 + lengthBytes + (masked ? 4 : 0);
  if (bytes.length < start + length) return undefined;
  const value: IncomingFrame = {
    fin: (first & 0x80) !== 0,
    rsv: (first >> 4) & 7,
    opcode: first & 0x0f,
    masked,
    payload: bytes.subarray(start, start + length),
  };
  return { value, usedBytes: start + length };
}
