import type { WsCloseInfo } from '@openchambery/tunnel';

/** RFC 6455 section 5.5: a close frame has 125 bytes, two of them for the code. */
const MAX_REASON_BYTES = 123;

/** RFC 6455 section 7.4 and the registry of IANA: what may stand in a close frame. */
function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}

/** How the Client hears of the origin's close: 1005 and 1006 only ever stand for what was not sent. */
export function closeForClient(code: number, reason: string): WsCloseInfo {
  if (code === 1005) {
    return { code: 1000, reason: '' };
  }
  return isSendable(code)
    ? { code, reason }
    : { code: 1011, reason: 'the origin dropped the WebSocket without closing it' };
}

/** How the origin hears of the Client's close; `undefined`: it is dropped, as it would be without a tunnel. */
export function closeForOrigin(close: WsCloseInfo): WsCloseInfo | undefined {
  switch (close.code) {
    case 1006:
      return undefined;
    case 1005:
      return { code: 1000, reason: '' };
    default:
      return {
        code: isSendable(close.code) ? close.code : 1011,
        reason: cutReason(close.reason),
      };
  }
}

function cutReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) {
    return reason;
  }
  // A decoder in the middle of a stream keeps back what is no whole character.
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_BYTES), { stream: true });
}
