/**
 * AES-256-GCM under one key. Works on whole encrypted frames (`01`, IV of 12 bytes, ciphertext, tag of 16 bytes) so that
 * an implementation can write into one buffer. May answer at once or later: what a platform does faster. Takes over what it
 * is given: those bytes may be gone afterwards.
 */
export interface AeadKey {
  /** Makes the encrypted frame of `plaintext` under `iv` (12 bytes). */
  seal(iv: Uint8Array, plaintext: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** The plaintext of an encrypted frame of at least 29 bytes; `undefined` when it is not authentic. Never throws. */
  open(frame: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Makes an AES-256-GCM key of 32 bytes. */
export type ImportAeadKey = (key: Uint8Array) => AeadKey | Promise<AeadKey>;
