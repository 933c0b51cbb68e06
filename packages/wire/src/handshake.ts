import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The GUID of RFC 6455 §1.3. */
const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** 16 bytes in base64 end in `==`, and the last digit carries two bits. */
const KEY_PATTERN = /^[+/0-9A-Za-z]{21}[AQgw]==$/;

/** The parts of an HTTP request that decide on a WebSocket handshake. */
export interface HandshakeRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As Node gives it: `1.1`. */
  readonly httpVersion: string;
}

/** A valid handshake's key, or what is wrong with it in a few words. */
export type HandshakeCheck = { ok: true; key: string } | { ok: false; fault: string };

/** Checks the server's side of RFC 6455 §4.2.1; extensions and subprotocols are ignored, hence refused. */
export function checkHandshake(request: HandshakeRequest): HandshakeCheck {
  const { method, headers, httpVersion } = request;
  if (method !== 'GET') return { ok: false, fault: 'the method is not GET' };
  // Not a number is no version either.
  if (!(Number(httpVersion) >= 1.1)) return { ok: false, fault: 'HTTP is older than 1.1' };
  if (headers.host === undefined) return { ok: false, fault: 'the Host header is missing' };
  if (!hasToken(headers.connection, 'upgrade')) {
    return { ok: false, fault: 'the Connection header does not name "upgrade"' };
  }
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    return { ok: false, fault: 'the Upgrade header is not "websocket"' };
  }
  if (headers['sec-websocket-version'] !== '13') {
    return { ok: false, fault: 'the Sec-WebSocket-Version header is not 13' };
  }
  const key = headers['sec-websocket-key'];
  if (key === undefined || !KEY_PATTERN.test(key)) {
    return { ok: false, fault: 'the Sec-WebSocket-Key header is not 16 bytes in base64' };
  }
  return { ok: true, key };
}

/** Whether a request offers to go on as WebSocket, be the rest of its handshake right or wrong. */
export function offersWebSocket(headers: IncomingHttpHeaders): boolean {
  return hasToken(headers.upgrade, 'websocket');
}

/** Whether a header that is a list of tokens (RFC 9110 §5.6.1) has this one, in any case. */
function hasToken(list: string | undefined, token: string): boolean {
  return list?.split(',').some((item) => item.trim().toLowerCase() === token) ?? false;
}

/** The 101 answer to a checked handshake, in latin1 (RFC 6455 §4.2.2). */
export function switchingProtocols(key: string): string {
  const accept = createHash('sha1')
    .update(key + ACCEPT_GUID)
    .digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
}
