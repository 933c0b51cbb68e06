import { createCipheriv, createDecipheriv } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const PREFIX_BYTES = 4;
const TAG_BYTES = 16;

/** What goes into one encrypted message. */
export interface SealInput {
  readonly key: Buffer;
  /** 4 bytes, the same for all messages of a direction. */
  readonly ivPrefix: Buffer;
  readonly counter: bigint;
  readonly plaintext: Buffer;
}

/** What one encrypted message held. */
export interface OpenedMessage {
  readonly ivPrefix: Buffer;
  readonly counter: bigint;
  readonly plaintext: Buffer;
}

/** `01` ‖ IV ‖ ciphertext and tag. */
export function sealMessage({ key, ivPrefix, counter, plaintext }: SealInput): Buffer {
  const iv = Buffer.alloc(IV_BYTES);
  ivPrefix.copy(iv);
  iv.writeBigUInt64BE(counter, PREFIX_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([
    Buffer.of(VERSION),
    iv,
    cipher.update(plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** @throws {Error} when it is no such message, or not of this key. */
export function openMessage(key: Buffer, message: Buffer): OpenedMessage {
  if (message[0] !== VERSION || message.length < 1 + IV_BYTES + TAG_BYTES) {
    throw new Error(`not an encrypted message: ${message.length} bytes that begin with ${message[0]}`);
  }
  const iv = message.subarray(1, 1 + IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  decipher.setAuthTag(message.subarray(-TAG_BYTES));
  const body = message.subarray(1 + IV_BYTES, -TAG_BYTES);
  return {
    ivPrefix: Buffer.from(iv.subarray(0, PREFIX_BYTES)),
    counter: iv.readBigUInt64BE(PREFIX_BYTES),
    plaintext: Buffer.concat([decipher.update(body), decipher.final()]),
  };
}
