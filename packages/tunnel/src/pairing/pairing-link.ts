import { decodeBase64url, encodeBase64url, isServerId, type PublicJwk } from '@openchambery/protocol';
import { COORDINATE_BYTES, parseHostEncPubJwk } from '../handshake/public-jwk.ts';
import type { PairingFacts } from './pairing-facts.ts';
import { faultOf, type PairingLinkFault } from './pairing-link-fault.ts';
import { normaliseRelayUrl, RelayUrlError } from './relay-url.ts';

const VERSION = '1';

/** Bytes in a pairing's secret. */
export const PAIRING_SECRET_BYTES = 16;

/** Longer fragments, in UTF-16 units, are not looked at: a QR code holds less than half of it. */
const MAX_FRAGMENT_LENGTH = 8192;

/** Where a link leads when no page is named. */
const DEFAULT_PAGE = 'openchamber://pair';

const FIELDS = { version: 'v', relayUrl: 'r', serverId: 'h', hostKey: 'k', secret: 's' } as const;

/**
 * Writes a pairing link: the facts are in the fragment, which no browser sends to a server. An old fragment of `pageUrl`
 * is dropped. Throws a RelayUrlError, or a TypeError that names which of the facts is none.
 */
export function formatPairingLink(facts: PairingFacts, pageUrl: string | URL = DEFAULT_PAGE): string {
  const { relayUrl, serverId, hostEncPubJwk, secret } = facts;
  const fields: [string, string][] = [
    [FIELDS.version, VERSION],
    [FIELDS.relayUrl, normaliseRelayUrl(relayUrl)],
    [FIELDS.serverId, serverId],
    [FIELDS.hostKey, formatPoint(hostEncPubJwk)],
  ];
  if (secret !== undefined) fields.push([FIELDS.secret, secret]);
  const fragment = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  // Read back, so that a link that is handed out can be read.
  const read = parsePairingLink(fragment);
  if ('fault' in read) throw new TypeError(read.message);
  const [page = ''] = String(pageUrl).split('#', 1);
  return `${page}#${fragment}`;
}

/**
 * Reads a pairing link: any URL with the facts in its fragment, or the fragment alone. A fault says what is wrong with
 * it, and what is allowed. Unknown fields are ignored. Never throws.
 */
export function parsePairingLink(text: string): PairingFacts | PairingLinkFault {
  const fragment = text.slice(text.indexOf('#') + 1).trim();
  if (fragment.length > MAX_FRAGMENT_LENGTH) return faultOf('too-long');
  const fields = new URLSearchParams(fragment);
  const names: readonly string[] = Object.values(FIELDS);
  const read = new Map<string, string>();
  for (const [name, value] of fields) {
    if (!names.includes(name)) continue;
    if (read.has(name)) return faultOf('duplicate-field');
    read.set(name, value);
  }
  return readFacts(read);
}

function readFacts(fields: ReadonlyMap<string, string>): PairingFacts | PairingLinkFault {
  const version = fields.get(FIELDS.version);
  if (version === undefined) return faultOf('no-pairing');
  if (version !== VERSION) return faultOf('version');
  const relayUrl = readRelayUrl(fields.get(FIELDS.relayUrl) ?? '');
  if (typeof relayUrl !== 'string') return relayUrl;
  const serverId = fields.get(FIELDS.serverId) ?? '';
  if (!isServerId(serverId)) return faultOf('server-id');
  const hostEncPubJwk = parsePoint(fields.get(FIELDS.hostKey) ?? '');
  if (hostEncPubJwk === undefined) return faultOf('host-key');
  const secret = fields.get(FIELDS.secret);
  if (secret === undefined) return { relayUrl, serverId, hostEncPubJwk };
  if (!isPairingSecret(secret)) return faultOf('secret');
  return { relayUrl, serverId, hostEncPubJwk, secret };
}

/** Whether a text can be a pairing's secret: canonical base64url of 16 bytes. */
export function isPairingSecret(text: string): boolean {
  return decodeBase64url(text, PAIRING_SECRET_BYTES) !== undefined;
}

function readRelayUrl(text: string): string | PairingLinkFault {
  try {
    return normaliseRelayUrl(text);
  } catch (error) {
    if (error instanceof RelayUrlError) return { fault: 'relay-url', message: error.message };
    throw error;
  }
}

/** A point as its two coordinates in a row, half as long as the JSON Web Key: QR codes stay small. */
function formatPoint({ x, y }: PublicJwk): string {
  const point = new Uint8Array(2 * COORDINATE_BYTES);
  const xBytes = decodeBase64url(x, COORDINATE_BYTES);
  const yBytes = decodeBase64url(y, COORDINATE_BYTES);
  if (xBytes === undefined || yBytes === undefined) throw new TypeError(faultOf('host-key').message);
  point.set(xBytes);
  point.set(yBytes, COORDINATE_BYTES);
  return encodeBase64url(point);
}

function parsePoint(text: string): PublicJwk | undefined {
  const point = decodeBase64url(text, 2 * COORDINATE_BYTES);
  if (point === undefined) return undefined;
  const x = encodeBase64url(point.subarray(0, COORDINATE_BYTES));
  const y = encodeBase64url(point.subarray(COORDINATE_BYTES));
  return parseHostEncPubJwk({ kty: 'EC', crv: 'P-256', x, y });
}
