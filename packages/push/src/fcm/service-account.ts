import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Who we are to Google. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** The id of the key; undefined when the file does not say. */
  readonly keyId: string | undefined;
  /** RSA, 2048 bits or more. */
  readonly key: KeyObject;
  /** Where access tokens come from. */
  readonly tokenUri: string;
}

/** A service account, or what is wrong with the text it came in, without a letter of it. */
export type ServiceAccountResult =
  | { readonly kind: 'account'; readonly account: ServiceAccount }
  | { readonly kind: 'bad-account'; readonly problem: string };

/** Google Cloud, "Creating and managing projects"; older ones have a domain in front. It becomes part of a path. */
const PROJECT_ID = /^[a-z0-9][a-z0-9.:-]{0,127}$/;
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,254}@[A-Za-z0-9.-]{1,254}$/;
const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/;
const DEFAULT_TOKEN_URI = 'https://oauth2.googleapis.com/token';
/** RFC 7518 section 3.3. */
const MIN_KEY_BITS = 2048;

/** Reads the JSON file that the Firebase console hands out under "Service accounts". */
export function parseServiceAccount(text: string): ServiceAccountResult {
  const json = parseObject(text);
  if (json === undefined) return bad('it is no JSON object');
  const type = json['type'];
  if (type !== undefined && type !== 'service_account') return bad('its "type" is not "service_account"');
  const clientEmail = textOf(json['client_email'], EMAIL);
  if (clientEmail === undefined) return bad('it has no usable "client_email"');
  const projectId = textOf(json['project_id'], PROJECT_ID);
  if (projectId === undefined) return bad('it has no usable "project_id"');
  const tokenUri = json['token_uri'] ?? DEFAULT_TOKEN_URI;
  if (typeof tokenUri !== 'string' || URL.parse(tokenUri)?.protocol !== 'https:') {
    return bad('its "token_uri" is no https:// URL');
  }
  const key = readKey(json['private_key']);
  if (typeof key === 'string') return bad(key);
  const keyId = textOf(json['private_key_id'], KEY_ID);
  return { kind: 'account', account: { projectId, clientEmail, keyId, key, tokenUri } };
}

/** The key, or what is wrong with it. */
function readKey(pem: unknown): KeyObject | string {
  if (typeof pem !== 'string') return 'it has no "private_key"';
  if (!pem.includes('-----BEGIN PRIVATE KEY-----')) return 'its "private_key" is not PKCS#8 in PEM';
  if (!pem.includes('-----END PRIVATE KEY-----')) return 'its "private_key" is cut off';
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // What OpenSSL says about it helps nobody, and a message made from key text has no business in a log.
    return 'its "private_key" is not PKCS#8 in PEM';
  }
  if (key.asymmetricKeyType !== 'rsa') return 'its "private_key" is no RSA key';
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_KEY_BITS)
    return `its "private_key" has ${bits} bits, and less than ${MIN_KEY_BITS} are not safe`;
  return key;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser would quote the text.
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

function textOf(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function bad(problem: string): ServiceAccountResult {
  return { kind: 'bad-account', problem };
}
