export type { ChannelEnd, ChannelListener, OpenChannel, SecureChannel } from './channel/secure-channel.ts';
export type { TransportEnd, TransportListener, TunnelTransport } from './channel/transport.ts';
export type { AeadKey, ImportAeadKey } from './cipher/aead.ts';
export { systemClock } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { FRAME_TYPE, KEEPALIVE_STREAM_ID, MORE_FRAGMENTS_BIT } from './frame/frame-type.ts';
export type { FrameType } from './frame/frame-type.ts';
export type {
  HttpRequestHead,
  HttpResponseHead,
  TunnelHeaders,
  WsCloseInfo,
  WsOpenedHead,
  WsOpenHead,
} from './frame/payloads.ts';
export type { TunnelFrame } from './frame/tunnel-frame.ts';
export type { AgreementKey, EncryptionKeys } from './handshake/encryption-keys.ts';
export {
  BATCH,
  BATCH_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  HELLO,
  KEEPALIVE,
  MAX_MESSAGE_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_PLAINTEXT_BYTES,
  SEALED_OVERHEAD_BYTES,
} from './limits.ts';
export { StreamError } from './mux/stream-error.ts';
export type { StreamErrorCode } from './mux/stream-error.ts';
export type {
  ClientHttpStream,
  ClientSocketOpening,
  ClientTunnel,
  HostHttpStream,
  HostSocketStream,
  HostStreamHandlers,
  HostTunnel,
  IncomingBytes,
  OutgoingBytes,
  TunnelSocket,
  TunnelSocketListener,
  TunnelStream,
  TunnelTraffic,
  Urgency,
} from './mux/streams.ts';
export { PAIRING_SECRET_HEADER } from './pairing/pairing-facts.ts';
export type { PairingFacts } from './pairing/pairing-facts.ts';
