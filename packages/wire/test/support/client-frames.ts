/** One frame as a client would send it, right or wrong. */
export interface ClientFrame {
  readonly opcode: number;
  readonly payload?: Uint8Array | string | undefined;
  /** @default true */
  readonly fin?: boolean | undefined;
  /** The three reserved bits as a number from 0 to 7. @default 0 */
  readonly rsv?: number | undefined;
  /** Four bytes, or undefined for an unmasked frame. @default a fixed key without a zero */
  readonly key?: Uint8Array | undefined;
  /** @default true */
  readonly masked?: boolean | undefined;
  /** How many bytes the length takes; 7 bits, 16 or 64. @default the shortest that fits */
  readonly lengthBits?: 7 | 16 | 64 | undefined;
  /** What the header says when it is to lie. @default the payload's length */
  readonly declaredBytes?: bigint | undefined;
}

const DEFAULT_KEY = Uint8Array.of(0x91, 0x3c, 0xfe, 0x07);

/** The bytes of one client frame; written without any code of the package under test. */
export function clientFrame(frame: ClientFrame): Buffer {
  const payload = Buffer.from(frame.payload ?? '');
  const declared = frame.declaredBytes ?? BigInt(payload.length);
  const isMasked = frame.masked ?? true;
  const bits = frame.lengthBits ?? (declared < 126n ? 7 : declared < 65_536n ? 16 : 64);
  const header = Buffer.alloc(bits === 7 ? 2 : bits === 16 ? 4 : 10);
  header[0] = (frame.fin === false ? 0 : 0x80) | ((frame.rsv ?? 0) << 4) | frame.opcode;
  header[1] = (isMasked ? 0x80 : 0) | (bits === 7 ? Number(declared) : bits === 16 ? 126 : 127);
  if (bits === 16) header.writeUInt16BE(Number(declared), 2);
  if (bits === 64) header.writeBigUInt64BE(declared, 2);
  if (!isMasked) return Buffer.concat([header, payload]);
  const key = frame.key ?? DEFAULT_KEY;
  const masked = Buffer.alloc(payload.length);
  for (let i = 0; i < payload.length; i++) masked[i] = (payload[i] ?? 0) ^ (key[i % 4] ?? 0);
  return Buffer.concat([header, key, masked]);
}

/** The body of a close frame. */
export function closeBody(code: number, reason: Uint8Array | string = ''): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
}

/** Bytes that differ from place to place, so that a lost, doubled or moved byte shows. */
export function patternBytes(length: number, start = 0): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = ((start + i) * 167 + ((start + i) >> 8) * 59) & 0xff;
  return bytes;
}
