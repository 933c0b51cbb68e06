import { isUtf8 } from 'node:buffer';
import { encodeFrame } from './frame-header.ts';
import { MAX_CONTROL_PAYLOAD_BYTES, OPCODE } from './opcode.ts';

/** The code a close frame without a body stands for (RFC 6455 §7.1.5); never sent on the wire. */
export const NO_STATUS = 1005;

/** What a close frame said. */
export interface CloseStatus {
  /** 1005 when the frame had no body. */
  readonly code: number;
  readonly reason: string;
}

/** Why a close frame is refused, with the code to answer it. */
export interface CloseFault {
  readonly code: 1002 | 1007;
  readonly reason: string;
}

/** Whether a close code may appear in a frame (RFC 6455 §7.4 and the IANA registry up to 1014). */
export function isCloseCodeOnWire(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== NO_STATUS && code !== 1006;
}

/** Reads the body of a close frame; a fault where RFC 6455 §5.5.1 or §7.4 is broken. */
export function parseCloseBody(
  body: Buffer,
): { ok: true; status: CloseStatus } | { ok: false; fault: CloseFault } {
  if (body.length === 0) return { ok: true, status: { code: NO_STATUS, reason: '' } };
  if (body.length === 1) return { ok: false, fault: { code: 1002, reason: 'close frame body of one byte' } };
  const code = body.readUInt16BE(0);
  if (!isCloseCodeOnWire(code)) {
    return { ok: false, fault: { code: 1002, reason: `close code ${code} is not allowed` } };
  }
  const reason = body.subarray(2);
  if (!isUtf8(reason)) return { ok: false, fault: { code: 1007, reason: 'close reason is not UTF-8' } };
  return { ok: true, status: { code, reason: reason.toString('utf8') } };
}

/** An unmasked close frame; a reason over 123 bytes of UTF-8 is cut at a character. */
export function encodeCloseFrame(code: number, reason: string): Buffer {
  if (code === NO_STATUS) return encodeFrame(OPCODE.close, Buffer.alloc(0));
  const body = Buffer.allocUnsafe(MAX_CONTROL_PAYLOAD_BYTES);
  body.writeUInt16BE(code, 0);
  // Buffer#write never leaves half a character behind.
  const reasonBytes = body.write(reason, 2, 'utf8');
  return encodeFrame(OPCODE.close, body.subarray(0, 2 + reasonBytes));
}
