/** One tunnel frame of Layer 3. */
export interface TunnelFrame {
  /** One of `FRAME_TYPE`, or a type of a later version of the protocol: 0 to 127. */
  readonly type: number;
  /** Whether more fragments of this message follow. */
  readonly hasMore: boolean;
  /** Unsigned, 32 bits. */
  readonly streamId: number;
  /** At most `MAX_PAYLOAD_BYTES` when sent. A received one is a view into the plaintext that brought it. */
  readonly payload: Uint8Array;
}
