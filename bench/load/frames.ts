import { randomBytes } from 'node:crypto';

const OPCODE_BINARY = 0x2;
const FIN = 0x80;
const MASKED = 0x80;

/** One masked frame with FIN set, as a client sends it (RFC 6455 §5.2); the payload is masked in the process. */
export function maskedFrame(payload: Buffer, opcode: number = OPCODE_BINARY): Buffer {
  const header = headerFor(payload.length, opcode);
  const mask = randomBytes(4);
  const body = Buffer.from(payload);
  for (let index = 0; index < body.length; index += 1) {
    body[index] = (body[index] ?? 0) ^ (mask[index & 3] ?? 0);
  }
  return Buffer.concat([header, mask, body]);
}

/** Random binary messages of one size back to back, about `totalBytes` of them and at least one. */
export function frameTrain(payloadBytes: number, totalBytes: number): { bytes: Buffer; frames: number } {
  const frames = Math.max(1, Math.floor(totalBytes / (payloadBytes + 14)));
  const parts = Array.from({ length: frames }, () => maskedFrame(randomBytes(payloadBytes)));
  return { bytes: Buffer.concat(parts), frames };
}

function headerFor(length: number, opcode: number): Buffer {
  if (length < 126) {
    return Buffer.from([FIN | opcode, MASKED | length]);
  }
  if (length < 65_536) {
    return Buffer.from([FIN | opcode, MASKED | 126, length >> 8, length & 0xff]);
  }
  const header = Buffer.alloc(10);
  header[0] = FIN | opcode;
  header[1] = MASKED | 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
