/** What can be wrong with a pairing link. */
export type PairingLinkFaultKind =
  | 'too-long'
  | 'no-pairing'
  | 'version'
  | 'duplicate-field'
  | 'relay-url'
  | 'server-id'
  | 'host-key'
  | 'secret';

/** Why a text is no pairing link. */
export interface PairingLinkFault {
  readonly fault: PairingLinkFaultKind;
  /** For people: what is wrong, and what is allowed. Repeats nothing of the link, which may hold a secret. */
  readonly message: string;
}

const MESSAGES: Readonly<Record<Exclude<PairingLinkFaultKind, 'relay-url'>, string>> = {
  'too-long': 'the pairing link is too long: its fragment has a few hundred characters, 8192 at most',
  'no-pairing': 'not a pairing link: one ends in #v=1&r=…&h=…&k=…, or it was cut off when it was copied',
  version: 'the pairing link is of another version: only v=1 is known; is this program up to date?',
  'duplicate-field': 'the pairing link names a field twice: each of v, r, h, k and s is allowed once',
  'server-id': 'the pairing link has no valid server id: h is base64url of 32 bytes, 43 characters',
  'host-key':
    "the pairing link has no valid key of the Host: k is base64url of a P-256 point's x and y, 86 characters",
  secret: 'the pairing link has no valid secret: s is base64url of 16 bytes, 22 characters, or is left out',
};

/** The fault of a kind that needs no more said. */
export function faultOf(fault: keyof typeof MESSAGES): PairingLinkFault {
  return { fault, message: MESSAGES[fault] };
}
