/** First byte of an encrypted frame. */
export const FRAME_VERSION = 0x01;

/** Where the IV of an encrypted frame begins. */
export const IV_OFFSET = 1;

/** Bytes of an IV: a random part, fixed for one direction of one channel, and a counter. */
export const IV_BYTES = 12;

/** Bytes of an IV that are chosen at random. */
export const IV_PREFIX_BYTES = 4;
