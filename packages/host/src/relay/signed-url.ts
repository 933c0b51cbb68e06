import { formatUpgradeQuery, signUpgrade, type HostIdentity } from '@openchambery/protocol';
import type { Clock } from '@openchambery/tunnel';

/** Within this, a time that is not later than the last one used is taken for the same moment, in ms. */
const SAME_MOMENT_MS = 1000;

/** What a Host asks the relay for. */
export type Upgrade =
  | { readonly role: 'host-control' }
  | { readonly role: 'host-data'; readonly connectionId: string };

/** Makes the URLs of a Host's upgrades, each signed afresh. */
export class UrlSigner {
  readonly #relayUrl: string;
  readonly #identity: HostIdentity;
  readonly #clock: Clock;
  #lastTs = 0;

  /** @param relayUrl without query and fragment. */
  constructor(relayUrl: string, identity: HostIdentity, clock: Clock) {
    this.#relayUrl = relayUrl;
    this.#identity = identity;
    this.#clock = clock;
  }

  /** The URL of one attempt: a secret for as long as the relay has not seen it. */
  async sign(upgrade: Upgrade): Promise<string> {
    const signed = await signUpgrade(this.#identity, { ...upgrade, ts: this.#nextTs() });
    return `${this.#relayUrl}?${formatUpgradeQuery(signed)}`;
  }

  /** Now; but a relay takes each time once, so two attempts in one ms get two. A clock that was set back is followed. */
  #nextTs(): number {
    const now = Math.round(this.#clock.epochMs());
    const isSameMoment = now <= this.#lastTs && this.#lastTs - now < SAME_MOMENT_MS;
    this.#lastTs = isSameMoment ? this.#lastTs + 1 : now;
    return this.#lastTs;
  }
}
