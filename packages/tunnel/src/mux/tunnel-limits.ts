/** What a tunnel holds back, queues and refuses; bytes unless the name says otherwise. */
export interface TunnelLimits {
  /** A stream's `write` gives `false` while this much of its own waits. */
  readonly streamHighWaterBytes: number;
  /** Every stream's `write` gives `false` while this much waits in all. */
  readonly totalHighWaterBytes: number;
  /** Frames are made only while the channel has less than this on its way: what is not made yet can still be ordered. */
  readonly channelHighWaterBytes: number;
  /** A stream with more than this unread stops the reading from the network, until half of it is left. */
  readonly unreadHighWaterBytes: number;
  /** The same for all streams together, so that many small heaps cannot make a large one. */
  readonly totalUnreadHighWaterBytes: number;
  /**
   * A stream with more than this unread is aborted, unless it is a single message: for transports that cannot push back.
   * @default no bound but `unreadHighWaterBytes` and what the transport still delivers after that
   */
  readonly maxUnreadBytes: number;
  /** A reader that holds up the channel and takes nothing for this long has its stream aborted, in ms. */
  readonly readerStallMs: number;
  /**
   * The same for one that takes so little that nothing could be read from the network for this long at a stretch, in ms. A
   * relay gives up a pair after 60 s in which it took nothing (Layer 1 section 6), and with it all streams.
   */
  readonly readerHoldMs: number;
  /**
   * The same for an upload that was not read since its answer was complete, in ms: most likely nobody wants it. It is dropped,
   * and its stream is not aborted.
   */
  readonly answeredStallMs: number;
  /** Most bytes in messages of all streams that are not whole yet. */
  readonly maxPartialMessageBytes: number;
  /** Most streams a Host lets a Client have at a time, with those whose answers still wait to be sent. */
  readonly maxStreams: number;
  /** The last id a Client may give to a stream. */
  readonly maxStreamId: number;
  /** Most Pings, Pongs and StreamAborts that may wait to be sent: a peer that causes more than that is no peer. */
  readonly maxControlFrames: number;
}

/** The limits of a tunnel that is not told others. */
export const defaultTunnelLimits: TunnelLimits = {
  streamHighWaterBytes: 256 * 1024,
  totalHighWaterBytes: 4 * 1024 * 1024,
  channelHighWaterBytes: 256 * 1024,
  unreadHighWaterBytes: 1024 * 1024,
  totalUnreadHighWaterBytes: 16 * 1024 * 1024,
  maxUnreadBytes: Number.POSITIVE_INFINITY,
  readerStallMs: 30_000,
  readerHoldMs: 45_000,
  answeredStallMs: 1_000,
  maxPartialMessageBytes: 128 * 1024 * 1024,
  maxStreams: 512,
  maxStreamId: 0xffff_ffff,
  maxControlFrames: 16_384,
};

/**
 * What each chunk or message counts on top of its bytes, in bytes, wherever something waits: about what its object takes,
 * so that many tiny ones cannot hide.
 */
export const PIECE_COST_BYTES = 64;
