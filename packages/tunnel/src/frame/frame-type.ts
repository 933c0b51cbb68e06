/** The types of tunnel frames (Layer 3). Types not listed here are ignored by a receiver. */
export const FRAME_TYPE = {
  httpRequest: 1,
  httpBody: 2,
  httpResponse: 3,
  streamEnd: 4,
  streamAbort: 5,
  wsOpen: 6,
  wsOpened: 7,
  wsText: 8,
  wsBinary: 9,
  wsClose: 10,
  ping: 11,
  pong: 12,
} as const;

/** One of {@link FRAME_TYPE}. */
export type FrameType = (typeof FRAME_TYPE)[keyof typeof FRAME_TYPE];

/** In the type byte: more fragments of this message follow. */
export const MORE_FRAGMENTS_BIT = 0x80;

/** The stream that carries nothing but Ping and Pong. */
export const KEEPALIVE_STREAM_ID = 0;
