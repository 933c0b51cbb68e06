import { formatUpgradeQuery, signUpgrade, type HostIdentity } from '@openchambery/protocol';
import type { Clock } from '@openchambery/tunnel';
import { UniqueTime } from '../unique-time.ts';

/** What a Host asks the relay for. */
export type Upgrade =
  | { readonly role: 'host-control' }
  | { readonly role: 'host-data'; readonly connectionId: string };

/** Makes the URLs of a Host's upgrades, each signed afresh. */
export class UrlSigner {
  readonly #relayUrl: string;
  readonly #identity: HostIdentity;
  readonly #time: UniqueTime;

  /** @param relayUrl without query and fragment. */
  constructor(relayUrl: string, identity: HostIdentity, clock: Clock) {
    this.#relayUrl = relayUrl;
    this.#identity = identity;
    this.#time = new UniqueTime(clock);
  }

  /** The URL of one attempt: a secret for as long as the relay has not seen it. */
  async sign(upgrade: Upgrade): Promise<string> {
    const signed = await signUpgrade(this.#identity, { ...upgrade, ts: this.#time.next() });
    return `${this.#relayUrl}?${formatUpgradeQuery(signed)}`;
  }
}
