import type { GatewayOptions } from '../gateway/gateway-options.ts';
import type { Environment } from '../provider/push-provider.ts';

/** What the APNs provider needs to know. */
export interface ApnsOptions extends GatewayOptions {
  /** The id Apple gave the key, ten characters: `kid` of the provider token. */
  readonly keyId: string;
  /** The id of the developer team, ten characters: `iss` of the provider token. */
  readonly teamId: string;
  /** The app's bundle id: the topic of alerts. */
  readonly bundleId: string;
  /** The key as PEM text (PKCS#8, EC P-256); see `parseApnsKey`. */
  readonly key: string;
  /** Where the two services are; a path in front of `/3/device/…` is kept. */
  readonly urls: Readonly<Record<Environment, string>>;
}
