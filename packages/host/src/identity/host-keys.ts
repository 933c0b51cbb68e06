import type { HostIdentity } from '@openchambery/protocol';
import type { EncryptionKeys } from '@openchambery/tunnel';

/** The two key pairs of a Host: one says who it is to the relay, the other is what its Clients trust. */
export interface HostKeys {
  readonly signing: HostIdentity;
  readonly encryption: EncryptionKeys;
}
