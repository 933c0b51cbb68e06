import { isToken } from './headers.ts';
import { decodePayload, encodePayload, parseOptionalHeaders, parseTarget } from './http-payloads.ts';
import { encodeUtf8 } from './json.ts';
import type { StreamAbortInfo, WsCloseInfo, WsOpenedHead, WsOpenHead } from './payloads.ts';

/** What a close frame has left for its reason (RFC 6455 section 5.5). */
const MAX_REASON_BYTES = 123;

/** Longer reasons of aborts are cut, in UTF-16 units. */
const MAX_ABORT_REASON_LENGTH = 256;

/** Writes a StreamAbort; a long reason is cut. */
export function formatStreamAbort(info: StreamAbortInfo): Uint8Array<ArrayBuffer> {
  return encodeUtf8(JSON.stringify({ reason: cutAbortReason(info.reason) }));
}

/** Reads a StreamAbort; `undefined` when it has no reason in words. The stream is over all the same. Never throws. */
export function parseStreamAbort(payload: Uint8Array): StreamAbortInfo | undefined {
  const reason = decodePayload(payload)?.['reason'];
  return typeof reason === 'string' ? { reason: cutAbortReason(reason) } : undefined;
}

/** Writes a WsOpen; `undefined` when it does not fit a frame. */
export function formatWsOpen(head: WsOpenHead): Uint8Array<ArrayBuffer> | undefined {
  const { path, query, protocols, headers } = head;
  // JSON leaves out members that are undefined.
  return encodePayload({ path, query, protocols, headers });
}

/** Reads a WsOpen; `undefined` when something in it could not stand in a WebSocket handshake. Never throws. */
export function parseWsOpen(payload: Uint8Array): WsOpenHead | undefined {
  const value = decodePayload(payload);
  if (value === undefined) return undefined;
  const target = parseTarget(value);
  const headers = parseOptionalHeaders(value);
  if (target === undefined || headers === undefined) return undefined;
  if ((value['protocols'] ?? undefined) === undefined) return { ...target, ...headers };
  const protocols = parseProtocols(value['protocols']);
  return protocols === undefined ? undefined : { ...target, protocols, ...headers };
}

/** Writes a WsOpened; `undefined` when it does not fit a frame. */
export function formatWsOpened(head: WsOpenedHead): Uint8Array<ArrayBuffer> | undefined {
  return encodePayload({ protocol: head.protocol });
}

/** Reads a WsOpened; an empty protocol is none. `undefined` when it is malformed. Never throws. */
export function parseWsOpened(payload: Uint8Array): WsOpenedHead | undefined {
  const value = decodePayload(payload);
  if (value === undefined) return undefined;
  const protocol = value['protocol'] ?? '';
  if (protocol === '') return {};
  return typeof protocol === 'string' && isToken(protocol) ? { protocol } : undefined;
}

/** Writes a WsClose; a reason too long for a close frame is cut. */
export function formatWsClose(info: WsCloseInfo): Uint8Array<ArrayBuffer> {
  return encodeUtf8(JSON.stringify({ code: info.code, reason: cutCloseReason(info.reason) }));
}

/** Reads a WsClose; a missing reason is empty. `undefined` when it has no code from 1000 to 4999. Never throws. */
export function parseWsClose(payload: Uint8Array): WsCloseInfo | undefined {
  const value = decodePayload(payload);
  if (value === undefined) return undefined;
  const code = value['code'];
  const reason = value['reason'] ?? '';
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 1000 || code > 4999) return undefined;
  return typeof reason === 'string' ? { code, reason: cutCloseReason(reason) } : undefined;
}

/** Subprotocols are tokens, none twice (RFC 6455 section 4.1). */
function parseProtocols(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const protocols: unknown[] = value;
  if (!protocols.every(isProtocol)) return undefined;
  return new Set(protocols).size === protocols.length ? protocols : undefined;
}

function isProtocol(value: unknown): value is string {
  return typeof value === 'string' && isToken(value);
}

function cutAbortReason(reason: string): string {
  return reason.slice(0, MAX_ABORT_REASON_LENGTH).toWellFormed();
}

function cutCloseReason(reason: string): string {
  // No character takes less than a byte, so that what is looked at is bounded too.
  let cut = reason.slice(0, MAX_REASON_BYTES).toWellFormed();
  while (encodeUtf8(cut).length > MAX_REASON_BYTES) {
    const last = cut.codePointAt(cut.length - 2) ?? 0;
    cut = cut.slice(0, last > 0xffff ? -2 : -1);
  }
  return cut;
}
