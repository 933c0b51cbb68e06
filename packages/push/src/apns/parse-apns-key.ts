import { createPrivateKey, type KeyObject } from 'node:crypto';

/** A key that can sign provider tokens, or what is wrong with the text it came in, without a letter of it. */
export type ApnsKeyResult =
  | { readonly kind: 'key'; readonly key: KeyObject }
  | { readonly kind: 'bad-key'; readonly problem: string };

const PEM_LABEL = /-----BEGIN ([A-Z0-9 ]{1,40})-----/;

/**
 * Reads the `.p8` file Apple hands out: one EC private key on P-256 in PKCS#8 (RFC 5958) as PEM. Literal `\n` must
 * have become line ends before.
 */
export function parseApnsKey(pem: string): ApnsKeyResult {
  const label = PEM_LABEL.exec(pem)?.[1];
  if (label === undefined) return badKey('it is not PEM: no "-----BEGIN PRIVATE KEY-----" line');
  if (label !== 'PRIVATE KEY') return badKey(describeLabel(label));
  if (!pem.includes('-----END PRIVATE KEY-----')) {
    return badKey('it is cut off: no "-----END PRIVATE KEY-----" line');
  }
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // What OpenSSL says about it helps nobody, and a message made from key text has no business in a log.
    return badKey('what stands between its first and last line is not a PKCS#8 private key');
  }
  if (key.asymmetricKeyType !== 'ec') {
    return badKey(`it is a key of type ${key.asymmetricKeyType ?? 'unknown'}, not EC`);
  }
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve !== 'prime256v1') return badKey(`its curve is ${curve ?? 'unknown'}, not P-256`);
  return { kind: 'key', key };
}

function describeLabel(label: string): string {
  switch (label) {
    case 'EC PRIVATE KEY':
      return 'it is an EC key in the older SEC 1 form, not PKCS#8 ("openssl pkcs8 -topk8 -nocrypt" converts it)';
    case 'ENCRYPTED PRIVATE KEY':
      return 'it is encrypted';
    case 'PUBLIC KEY':
      return 'it is a public key, not a private one';
    case 'CERTIFICATE':
      return 'it is a certificate, not a private key';
    default:
      return 'its PEM label is not "PRIVATE KEY"';
  }
}

function badKey(problem: string): ApnsKeyResult {
  return { kind: 'bad-key', problem };
}
