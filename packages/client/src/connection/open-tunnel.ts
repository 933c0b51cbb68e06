import type { PublicJwk } from '@openchambery/protocol';
import {
  type ChannelEnd,
  type ChannelListener,
  type ClientTunnel,
  type Clock,
  createClientTunnel,
  type ImportAeadKey,
  openClientChannel,
  type SecureChannel,
  type TunnelTransport,
} from '@openchambery/tunnel';

/**
 * What a channel has shown of the Host's key. `given`: a frame of the Host could be read; `missing`: frames were sent and
 * none came back that could be read; `none`: nothing was sent, so nothing is known.
 */
export type KeyProof = 'given' | 'missing' | 'none';

/** A tunnel over one transport. */
export interface OpenedTunnel {
  readonly tunnel: ClientTunnel;
  proof(): KeyProof;
}

/** What a tunnel tells: `onClose` once and last; neither is called while the tunnel is being made. */
export interface TunnelListener {
  onOpen(): void;
  onClose(end: ChannelEnd): void;
}

/** Makes a tunnel over an open transport, to which it listens at once. */
export type OpenTunnel = (transport: TunnelTransport, listener: TunnelListener) => OpenedTunnel;

/** Who is at the other end, and what to do it with. */
export interface TunnelParts {
  readonly hostEncPubJwk: PublicJwk;
  readonly clock: Clock;
  readonly importAeadKey: ImportAeadKey | undefined;
  /** Bytes that may lie unread on one stream before it is given up. @default no bound */
  readonly maxUnreadBytes: number | undefined;
}

/** The tunnel of Layers 2 and 3. */
export function tunnelOpener(parts: TunnelParts): OpenTunnel {
  const { hostEncPubJwk, clock, importAeadKey, maxUnreadBytes } = parts;
  const limits = maxUnreadBytes === undefined ? {} : { maxUnreadBytes };
  return (transport, listener) => {
    let sentFrames = 0;
    let readFrames = 0;
    const openChannel = (inner: ChannelListener): SecureChannel => {
      const channel = openClientChannel(
        { transport, hostEncPubJwk, clock, importAeadKey },
        {
          onEstablished: (facts) => inner.onEstablished(facts),
          onPlaintext: (plaintext) => {
            readFrames += 1;
            inner.onPlaintext(plaintext);
          },
          onDrain: () => inner.onDrain(),
          onClose: (end) => inner.onClose(end),
        },
      );
      return countSent(channel, () => {
        sentFrames += 1;
      });
    };
    const tunnel = createClientTunnel({ openChannel, clock, limits }, listener);
    const proof = (): KeyProof => {
      if (readFrames > 0) return 'given';
      return sentFrames > 0 ? 'missing' : 'none';
    };
    return { tunnel, proof };
  };
}

function countSent(channel: SecureChannel, onSent: () => void): SecureChannel {
  return {
    send: (plaintext) => {
      onSent();
      channel.send(plaintext);
    },
    get pendingBytes() {
      return channel.pendingBytes;
    },
    pauseReading: () => channel.pauseReading(),
    resumeReading: () => channel.resumeReading(),
    close: (end, cause) => channel.close(end, cause),
  };
}
