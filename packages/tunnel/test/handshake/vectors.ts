import type { PrivateJwk } from '@openchambery/protocol';
import handshake from '../../vectors/handshake.json' with { type: 'json' };
import keySchedule from '../../vectors/key-schedule.json' with { type: 'json' };

/** Two key pairs, a nonce, and what comes of them, worked out with node:crypto alone; bytes in hexadecimal. */
export interface AgreementVector {
  readonly name: string;
  readonly host: PrivateJwk;
  readonly client: PrivateJwk;
  readonly nonce: string;
  readonly sharedSecret: string;
  readonly clientToHost: string;
  readonly hostToClient: string;
}

export const agreements: readonly AgreementVector[] = keySchedule.agreements as readonly AgreementVector[];
export const badPublicJwks: readonly { readonly name: string; readonly jwk: unknown }[] =
  keySchedule.badPublicJwks;
export const handshakeTexts: typeof handshake = handshake;

/** The first agreement, which the texts and the encrypted frames belong to. */
export function firstAgreement(): AgreementVector {
  const [first] = agreements;
  if (first === undefined) throw new Error('there are no agreements');
  return first;
}
