import type { ChannelEnd, OpenChannel } from '../channel/secure-channel.ts';
import type { Clock } from '../clock.ts';
import type { TunnelLimits } from './tunnel-limits.ts';

/** What a tunnel is made of. */
export interface TunnelOptions {
  readonly openChannel: OpenChannel;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default defaultTunnelLimits */
  readonly limits?: Partial<TunnelLimits> | undefined;
  /**
   * Hears what handlers and listeners threw: a bug. The stream concerned is aborted, all others go on.
   * @default throws it where nobody catches it, which ends a Node process unless that listens for it
   */
  readonly reportBug?: ((error: unknown) => void) | undefined;
}

/** What a tunnel tells. */
export interface TunnelListener {
  /** The channel is established; streams that were opened before wait for it. */
  onOpen(): void;
  /** The channel ended, and everything in it with it; called once, and nothing after it. */
  onClose(end: ChannelEnd): void;
}
