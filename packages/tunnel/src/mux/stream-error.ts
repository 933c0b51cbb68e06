/** Why a stream broke. */
export type StreamErrorCode =
  /** The peer gave up on the stream: its reason is in the message. */
  | 'ERR_TUNNEL_STREAM_ABORTED'
  /** This side gave up on it. */
  | 'ERR_TUNNEL_STREAM_CANCELLED'
  /** The channel ended under it. */
  | 'ERR_TUNNEL_CLOSED'
  /** The reader took nothing for so long that it held up every other stream. */
  | 'ERR_TUNNEL_READER_STALLED'
  /** The peer broke the rules of Layer 3 on this stream. */
  | 'ERR_TUNNEL_PROTOCOL';

/** A stream that ended before its end. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly code: StreamErrorCode;
  /** What the peer or this side gave as a reason; never a payload. */
  readonly reason: string;

  constructor(code: StreamErrorCode, reason: string, options?: ErrorOptions) {
    super(`${MEANING[code]}: ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}

const MEANING: Readonly<Record<StreamErrorCode, string>> = {
  ERR_TUNNEL_STREAM_ABORTED: 'the other end gave up on the stream',
  ERR_TUNNEL_STREAM_CANCELLED: 'the stream was cancelled',
  ERR_TUNNEL_CLOSED: 'the tunnel was closed',
  ERR_TUNNEL_READER_STALLED: 'the stream was not read for too long',
  ERR_TUNNEL_PROTOCOL: 'the other end broke the tunnel protocol',
};
