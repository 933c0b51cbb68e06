export { openClientChannel } from './channel/client-channel.ts';
export type { ClientChannelOptions } from './channel/client-channel.ts';
export { openHostChannel } from './channel/host-channel.ts';
export type { HostChannelOptions } from './channel/host-channel.ts';
export type { ChannelEnd, ChannelListener, OpenChannel, SecureChannel } from './channel/secure-channel.ts';
export type { TransportEnd, TransportListener, TunnelTransport } from './channel/transport.ts';
export type { AeadKey, ImportAeadKey } from './cipher/aead.ts';
export { webCryptoAeadKey } from './cipher/web-crypto-aead.ts';
export { systemClock } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { encodeFrame, frameByteLength, parseFrame } from './frame/codec.ts';
export { FragmentAssembler } from './frame/fragment-assembler.ts';
export type { Assembled } from './frame/fragment-assembler.ts';
export { FRAME_TYPE, KEEPALIVE_STREAM_ID, MORE_FRAGMENTS_BIT } from './frame/frame-type.ts';
export type { FrameType } from './frame/frame-type.ts';
export {
  formatHttpRequest,
  formatHttpResponse,
  parseHttpRequest,
  parseHttpResponse,
} from './frame/http-payloads.ts';
export type {
  HttpRequestHead,
  HttpResponseHead,
  StreamAbortInfo,
  TunnelHeaders,
  WsCloseInfo,
  WsOpenedHead,
  WsOpenHead,
} from './frame/payloads.ts';
export { packPlaintext, unpackPlaintext } from './frame/plaintext.ts';
export type { PlaintextForm } from './frame/plaintext.ts';
export {
  formatStreamAbort,
  formatWsClose,
  formatWsOpen,
  formatWsOpened,
  parseStreamAbort,
  parseWsClose,
  parseWsOpen,
  parseWsOpened,
} from './frame/socket-payloads.ts';
export type { TunnelFrame } from './frame/tunnel-frame.ts';
export {
  createEncryptionKeys,
  exportEncryptionKeys,
  importEncryptionKeys,
} from './handshake/encryption-keys.ts';
export type { AgreementKey, EncryptionKeys } from './handshake/encryption-keys.ts';
export { parseHostEncPubJwk } from './handshake/public-jwk.ts';
export { SpentHellos } from './handshake/spent-hellos.ts';
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
export { createClientTunnel } from './mux/client-tunnel.ts';
export { createHostTunnel } from './mux/host-tunnel.ts';
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
export { defaultTunnelLimits } from './mux/tunnel-limits.ts';
export type { TunnelLimits } from './mux/tunnel-limits.ts';
export type { TunnelListener, TunnelOptions } from './mux/tunnel-options.ts';
export { PAIRING_SECRET_HEADER } from './pairing/pairing-facts.ts';
export type { PairingFacts } from './pairing/pairing-facts.ts';
export {
  formatPairingLink,
  isPairingSecret,
  PAIRING_SECRET_BYTES,
  parsePairingLink,
} from './pairing/pairing-link.ts';
export type { PairingLinkFault, PairingLinkFaultKind } from './pairing/pairing-link-fault.ts';
export { normaliseRelayUrl, RelayUrlError } from './pairing/relay-url.ts';
export { systemRandomBytes } from './random-bytes.ts';
export type { RandomBytes } from './random-bytes.ts';
