import { createHostIdentity, exportHostIdentity, importHostIdentity } from '@openchambery/protocol';
import type { HostIdentity, PrivateJwk } from '@openchambery/protocol';
import { createEncryptionKeys, exportEncryptionKeys, importEncryptionKeys } from '@openchambery/tunnel';
import type { EncryptionKeys } from '@openchambery/tunnel';

/** The two key pairs of a Host: one says who it is to the relay, the other is what its Clients trust. */
export interface HostKeys {
  readonly signing: HostIdentity;
  readonly encryption: EncryptionKeys;
}

/** Both private keys, as JSON: a secret. */
export interface StoredHostKeys {
  readonly version: 1;
  readonly signing: PrivateJwk;
  readonly encryption: PrivateJwk;
}

/** Makes a new identity. Clients that were paired with another one have to be paired again. */
export async function createHostKeys(): Promise<HostKeys> {
  const [signing, encryption] = await Promise.all([createHostIdentity(), createEncryptionKeys()]);
  return { signing, encryption };
}

/** Takes the keys out, to be kept somewhere safe. */
export async function exportHostKeys(keys: HostKeys): Promise<StoredHostKeys> {
  const [signing, encryption] = await Promise.all([
    exportHostIdentity(keys.signing),
    exportEncryptionKeys(keys.encryption),
  ]);
  return { version: 1, signing, encryption };
}

/** Takes up keys that {@link exportHostKeys} gave. Rejects when they are not valid P-256 key pairs. */
export async function importHostKeys(stored: StoredHostKeys): Promise<HostKeys> {
  const [signing, encryption] = await Promise.all([
    importHostIdentity(stored.signing),
    importEncryptionKeys(stored.encryption),
  ]);
  return { signing, encryption };
}
