import type { PublicJwk } from '@openchambery/protocol';

/** A WebCrypto key, whichever library types the platform comes with. */
export type AgreementKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A Host's ECDH key pair on P-256: what its Clients trust it by. */
export interface EncryptionKeys {
  /** `hostEncPubJwk` of the pairing facts. */
  readonly publicJwk: PublicJwk;
  readonly privateKey: AgreementKey;
}
