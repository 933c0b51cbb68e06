/** Most bytes in one plaintext of Layer 2. */
export const MAX_PLAINTEXT_BYTES = 65_536;

/** Type and stream id in front of a tunnel frame's payload. */
export const FRAME_HEADER_BYTES = 5;

/** Kind byte and length that a batch puts in front of its first frame. */
export const BATCH_HEADER_BYTES = 5;

/** Most bytes in the payload of one tunnel frame. */
export const MAX_PAYLOAD_BYTES: number = MAX_PLAINTEXT_BYTES - FRAME_HEADER_BYTES - BATCH_HEADER_BYTES;

/** Most bytes in a WebSocket message that is put together from fragments: 16 MiB. */
export const MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

/** What encryption puts around a plaintext: version byte, IV, tag. */
export const SEALED_OVERHEAD_BYTES = 29;

/** The batching of senders: what may wait, waits until one of these is reached. */
export const BATCH: { readonly maxWaitMs: number; readonly maxBytes: number; readonly maxFrames: number } = {
  maxWaitMs: 150,
  maxBytes: 24 * 1024,
  maxFrames: 32,
};

/** When the two ends look for life, all in ms. */
export const KEEPALIVE: {
  readonly clientIdleMs: number;
  readonly clientAnswerMs: number;
  readonly hostSilenceMs: number;
} = { clientIdleMs: 30_000, clientAnswerMs: 15_000, hostSilenceMs: 90_000 };

/** How often a hello is sent again, and when a Client gives up, in ms. */
export const HELLO: { readonly repeatMs: number; readonly giveUpMs: number } = {
  repeatMs: 1000,
  giveUpMs: 30_000,
};
