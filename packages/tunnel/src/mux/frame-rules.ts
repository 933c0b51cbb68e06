import { FRAME_TYPE } from '../frame/frame-type.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';

const KNOWN_TYPES: ReadonlySet<number> = new Set(Object.values(FRAME_TYPE));

/** Whether this version of the protocol knows the frame's type; a frame of another one is ignored. */
export function isKnown(frame: TunnelFrame): boolean {
  return KNOWN_TYPES.has(frame.type);
}

/** Whether the frame is about the channel, not about a stream. */
export function isKeepalive(frame: TunnelFrame): boolean {
  return frame.type === FRAME_TYPE.ping || frame.type === FRAME_TYPE.pong;
}

/** Whether the frame opens a stream. */
export function isOpening(frame: TunnelFrame): boolean {
  return frame.type === FRAME_TYPE.httpRequest || frame.type === FRAME_TYPE.wsOpen;
}

/** Whether the frame claims to be a fragment, and its type cannot be one. */
export function isBadFragment(frame: TunnelFrame): boolean {
  return frame.hasMore && frame.type !== FRAME_TYPE.wsText && frame.type !== FRAME_TYPE.wsBinary;
}
