/** Bytes are copied when the memory they would keep is this many times as much. */
const MAX_RATIO = 4;

/** Bytes that will wait, copied when they are a small part of the plaintext that brought them and would keep all of it. */
export function unpinned(bytes: Uint8Array): Uint8Array {
  // Not by `slice`: a cipher of Node gives a Buffer, whose `slice` copies nothing.
  return bytes.buffer.byteLength > bytes.length * MAX_RATIO ? new Uint8Array(bytes) : bytes;
}
