/**
 * A decoder of whole WebSocket streams, as plain as the RFC: no state between calls, nothing in place, nothing shared
 * with the package under test. It judges what went in and what came out.
 */

export interface Message {
  readonly isBinary: boolean;
  readonly payload: Buffer;
}

export interface ControlFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export type StreamEnding =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  | { readonly kind: 'fault'; readonly code: 1002 | 1007 | 1009; readonly why: string };

export interface DecodedStream {
  readonly messages: readonly Message[];
  /** Pings, pongs and the close frame, in order. */
  readonly controls: readonly ControlFrame[];
  /** What is there of the message that has not ended, undefined between messages. */
  readonly partial: Message | undefined;
  /** How many data frames made each message. */
  readonly frameCounts: readonly number[];
  readonly ending: StreamEnding;
  /** Bytes behind the last whole frame that was accepted. */
  readonly restBytes: number;
}

export interface DecoderRules {
  /** What a server reads is masked, what a client reads is not. */
  readonly masked: boolean;
  /** Whether a length in a longer form than needed is a fault. */
  readonly shortestLengths?: boolean;
  readonly maxMessageBytes?: number;
}

interface Header {
  readonly fin: boolean;
  readonly rsv: number;
  readonly opcode: number;
  readonly masked: boolean;
  readonly length: bigint;
  readonly lengthBits: 7 | 16 | 64;
  readonly bodyAt: number;
  readonly key: Buffer;
}

/** Decodes everything from the first byte on. */
export function decodeStream(bytes: Buffer, rules: DecoderRules): DecodedStream {
  const messages: Message[] = [];
  const controls: ControlFrame[] = [];
  const frameCounts: number[] = [];
  let current: { isBinary: boolean; parts: Buffer[]; bytes: number } | undefined;
  let at = 0;
  const result = (ending: StreamEnding): DecodedStream => ({
    messages,
    controls,
    frameCounts,
    partial: current && { isBinary: current.isBinary, payload: Buffer.concat(current.parts) },
    ending,
    restBytes: bytes.length - at,
  });
  const fault = (code: 1002 | 1007 | 1009, why: string): DecodedStream =>
    result({ kind: 'fault', code, why });

  for (;;) {
    const early = faultOfFirstBytes(bytes.subarray(at, at + 2), { rules, inMessage: current !== undefined });
    if (early !== undefined) return fault(1002, early);
    const header = readHeader(bytes, at);
    if (header === undefined) return result({ kind: 'open' });
    const isControl = header.opcode >= 8;
    if (rules.shortestLengths === true && !hasShortestLength(header)) return fault(1002, 'a long length');
    if (header.length >= 2n ** 63n) return fault(1002, 'the top bit of a length is set');
    if (!isControl && rules.maxMessageBytes !== undefined) {
      const total = BigInt(current?.bytes ?? 0) + header.length;
      if (total > BigInt(rules.maxMessageBytes)) return fault(1009, 'the message is too big');
    }
    const available = bytes.length - header.bodyAt;
    const payload = unmasked(header, bytes.subarray(header.bodyAt, header.bodyAt + Number(header.length)));
    if (!isControl && header.opcode !== 0) current = { isBinary: header.opcode === 2, parts: [], bytes: 0 };
    if (BigInt(available) < header.length) {
      if (!isControl) current?.parts.push(payload);
      return result({ kind: 'open' });
    }
    at = header.bodyAt + payload.length;
    if (isControl) {
      controls.push({ opcode: header.opcode, payload });
      if (header.opcode !== 8) continue;
      return result(endingOfClose(payload));
    }
    if (current === undefined) throw new Error('a data frame outside of every message was accepted');
    current.parts.push(payload);
    current.bytes += payload.length;
    frameCounts[messages.length] = (frameCounts[messages.length] ?? 0) + 1;
    if (!header.fin) continue;
    messages.push({ isBinary: current.isBinary, payload: Buffer.concat(current.parts) });
    current = undefined;
  }
}

/** Whether a close code may be sent (RFC 6455 §7.4.1, §7.4.2 and the IANA registry). */
export function mayBeSent(code: number): boolean {
  const registered = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
  return registered.includes(code) || (code >= 3000 && code < 5000);
}

function faultOfFirstBytes(
  two: Buffer,
  context: { rules: DecoderRules; inMessage: boolean },
): string | undefined {
  if (two.length < 2) return undefined;
  const first = Number(two[0]);
  const opcode = first % 16;
  const length = Number(two[1]) % 128;
  if (Number(two[1]) >= 128 !== context.rules.masked) return 'the mask bit is wrong';
  if ((first >> 4) % 8 !== 0) return 'reserved bits are set';
  if (![0, 1, 2, 8, 9, 10].includes(opcode)) return `opcode ${opcode} is reserved`;
  if (opcode >= 8 && first < 128) return 'a control frame is fragmented';
  if (opcode >= 8 && length > 125) return 'a control frame is too long';
  if (opcode === 0 && !context.inMessage) return 'a continuation of nothing';
  if ((opcode === 1 || opcode === 2) && context.inMessage) return 'a message starts inside another';
  return undefined;
}

function readHeader(bytes: Buffer, at: number): Header | undefined {
  if (bytes.length < at + 2) return undefined;
  const first = bytes.readUInt8(at);
  const second = bytes.readUInt8(at + 1);
  const masked = second >= 128;
  const short = second % 128;
  const lengthBits = short === 127 ? 64 : short === 126 ? 16 : 7;
  const keyAt = at + (lengthBits === 64 ? 10 : lengthBits === 16 ? 4 : 2);
  const bodyAt = keyAt + (masked ? 4 : 0);
  if (bytes.length < bodyAt) return undefined;
  const length =
    lengthBits === 64
      ? bytes.readBigUInt64BE(at + 2)
      : BigInt(lengthBits === 16 ? bytes.readUInt16BE(at + 2) : short);
  return {
    fin: first >= 128,
    rsv: (first >> 4) % 8,
    opcode: first % 16,
    masked,
    length,
    lengthBits,
    bodyAt,
    key: bytes.subarray(keyAt, bodyAt),
  };
}

function hasShortestLength({ length, lengthBits }: Header): boolean {
  if (length < 126n) return lengthBits === 7;
  return lengthBits === (length < 65_536n ? 16 : 64);
}

function unmasked(header: Header, body: Buffer): Buffer {
  const payload = Buffer.from(body);
  if (!header.masked) return payload;
  for (let i = 0; i < payload.length; i++) payload[i] = Number(payload[i]) ^ Number(header.key[i % 4]);
  return payload;
}

function endingOfClose(body: Buffer): StreamEnding {
  if (body.length === 0) return { kind: 'closed', code: 1005, reason: '' };
  if (body.length === 1) return { kind: 'fault', code: 1002, why: 'half a close code' };
  const code = body.readUInt16BE(0);
  if (!mayBeSent(code)) return { kind: 'fault', code: 1002, why: `close code ${code}` };
  try {
    const reason = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.subarray(2));
    return { kind: 'closed', code, reason };
  } catch (error) {
    return { kind: 'fault', code: 1007, why: String(error) };
  }
}
