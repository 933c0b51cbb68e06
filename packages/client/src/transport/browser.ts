import type { Platform } from './dial.ts';
import { dialWebSocket } from './web-socket.ts';
import { dialWebSocketStream, findWebSocketStream } from './web-socket-stream.ts';

/** A reader that is this far behind would cost a page more memory than a phone may have. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** A page's own WebSockets: those that can stop reading, where the browser has them. */
export const platform: Platform =
  findWebSocketStream() === undefined
    ? { dial: dialWebSocket, maxUnreadBytes: MAX_UNREAD_BYTES }
    : { dial: dialWebSocketStream };
