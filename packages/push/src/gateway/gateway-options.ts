import type { Clock, Logger } from '@openchambery/daemon';

/** What a gateway to any service can be told. Times in ms. */
export interface GatewayOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A short keyed hash of a device token, for log lines. */
  readonly hash: (token: string) => string;
  /** From 0 (included) to 1 (excluded), for jitter alone. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Certificates (PEM) to trust instead of the system's. @default those Node trusts */
  readonly ca?: string | undefined;
  /** How long TCP and TLS together may take. @default 3000 */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a connection may be unused before a PING asks whether it lives. @default 3600000 */
  readonly pingIdleMs?: number | undefined;
  /** How long the answer to a PING may take. @default 2000 */
  readonly pingTimeoutMs?: number | undefined;
  /**
   * After a longer silence a push waits for the answer to a PING before it is sent: a NAT or firewall that has forgotten
   * the connection would swallow it. @default 300000
   */
  readonly maxSilenceMs?: number | undefined;
  /** Streams used at once on a connection, whatever more the peer allows. @default 1000 */
  readonly maxStreams?: number | undefined;
  /** Pushes that may wait for a connection or a stream, per service; more are told `later`. @default 20000 */
  readonly maxWaiting?: number | undefined;
}

/** {@link GatewayOptions} with every default in place. */
export type CompleteGatewayOptions = {
  readonly [Name in keyof GatewayOptions]-?: Name extends 'ca'
    ? GatewayOptions[Name]
    : Exclude<GatewayOptions[Name], undefined>;
};

/** Puts the defaults in place. */
export function completeGatewayOptions(options: GatewayOptions): CompleteGatewayOptions {
  return {
    clock: options.clock,
    logger: options.logger,
    hash: options.hash,
    ca: options.ca,
    random: options.random ?? Math.random,
    connectTimeoutMs: options.connectTimeoutMs ?? 3000,
    pingIdleMs: options.pingIdleMs ?? 3_600_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 2000,
    maxSilenceMs: options.maxSilenceMs ?? 300_000,
    maxStreams: options.maxStreams ?? 1000,
    maxWaiting: options.maxWaiting ?? 20_000,
  };
}
