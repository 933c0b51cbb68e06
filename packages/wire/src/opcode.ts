/** RFC 6455 §5.2 opcodes, and the bits of the first two header bytes. */
export const OPCODE = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

export const FIN_BIT = 0x80;
export const RSV_BITS = 0x70;
export const OPCODE_BITS = 0x0f;
/** Set in the opcode of every control frame (RFC 6455 §5.5). */
export const CONTROL_BIT = 0x08;
export const MASK_BIT = 0x80;
export const LENGTH_BITS = 0x7f;

/** The most payload a control frame may carry, in bytes (RFC 6455 §5.5). */
export const MAX_CONTROL_PAYLOAD_BYTES = 125;
