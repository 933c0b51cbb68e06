export { makeApnsKey } from './fake-apns/apns-key.ts';
export type { ApnsKey } from './fake-apns/apns-key.ts';
export { makeLoopbackCertificate } from './fake-apns/certificates.ts';
export type { LoopbackCertificate } from './fake-apns/certificates.ts';
export type { SessionView } from './fake-apns/connection.ts';
export type { AcceptMode } from './fake-apns/door.ts';
export { FakeApns, startFakeApns } from './fake-apns/fake-apns.ts';
export type { GoAwayOptions } from './fake-apns/fake-service.ts';
export type { FakeApnsOptions, FakeServiceOptions } from './fake-apns/options.ts';
export type { ProviderKey, ProviderToken } from './fake-apns/provider-token.ts';
export { hold } from './fake-apns/reaction.ts';
export type { Answer, Fault, Held, Reaction } from './fake-apns/reaction.ts';
export type { RecordedAnswer, RecordedRequest } from './fake-apns/request-log.ts';
export { FakeFcm, startFakeFcm } from './fake-fcm/fake-fcm.ts';
export type { FakeFcmOptions } from './fake-fcm/fake-fcm.ts';
export { fcmError } from './fake-fcm/fcm-answer.ts';
export type { FcmErrorOptions } from './fake-fcm/fcm-answer.ts';
export { makeServiceAccount } from './fake-fcm/service-account.ts';
export type { FakeServiceAccount } from './fake-fcm/service-account.ts';
export type { TokenReaction } from './fake-fcm/token-endpoint.ts';
export { FaultProxy, startFaultProxy } from './fault-proxy/fault-proxy.ts';
export type { FaultProxyOptions, MeetMode } from './fault-proxy/fault-proxy.ts';
export type {
  FaultScope,
  FlowBytes,
  FlowDirection,
  LinkFaults,
  Passage,
  Traffic,
} from './fault-proxy/link-faults.ts';
export type { ConnectionState, ProxiedConnection, ProxyTarget } from './fault-proxy/proxied-connection.ts';
export { FakeClock } from './fake-clock.ts';
export type { FakeTimer } from './fake-clock.ts';
export { clientQuery, makeIdentity, signedQuery, signText, uniqueTs } from './host-identity.ts';
export type { HostIdentity, QueryOverrides, SignedQueryOptions, UpgradeRole } from './host-identity.ts';
export { Inbox } from './inbox.ts';
export type { TakeOptions } from './inbox.ts';
export { makeDeviceToken, makeFcmToken } from './push-requests/device-token.ts';
export {
  activityRequest,
  pushPaths,
  registerActivityRequest,
  registerAndroidRequest,
  registerRequest,
  sendRequest,
  unregisterActivityRequest,
} from './push-requests/push-request.ts';
export type { PushRequest, PushRequestOptions } from './push-requests/push-request.ts';
export { twinSignature } from './push-requests/signature-twin.ts';
export { activityText, sendText, validatedItem } from './push-requests/signed-text.ts';
export type { ActivityFields, ActivityItem, ContentState, SendFields } from './push-requests/signed-text.ts';
export { RawSocket } from './raw-socket.ts';
export type { HttpResponse, RawSocketOptions, StreamEnd } from './raw-socket.ts';
export { closePayload, encodeFrame, encodeUpgrade, opcodes, RawWebSocket } from './raw-web-socket.ts';
export type { IncomingFrame, OutgoingFrame, UpgradeRequest } from './raw-web-socket.ts';
export { freePort, residentBytes } from './daemon-process.ts';
export type { DaemonCommand, DaemonProcess, ExitInfo, FinishedCommand } from './daemon-process.ts';
export { PUSH_PREFIX, runPush, spawnPush, startPush } from './push-process.ts';
export type { PushCommand, PushCommandOptions, PushProcess, StartPushOptions } from './push-process.ts';
export { RELAY_PREFIX, runRelay, spawnRelay, startRelay } from './relay-process.ts';
export type { RelayCommand, RelayCommandOptions, RelayProcess, StartRelayOptions } from './relay-process.ts';
export { EventStream, HeldRequest } from './test-origin/held-request.ts';
export type { OriginSocket } from './test-origin/origin-sockets.ts';
export { patternPiece, patternPieces, patternSha256 } from './test-origin/pattern.ts';
export type { OriginRequest } from './test-origin/recorded-request.ts';
export { startTestOrigin, TestOrigin } from './test-origin/test-origin.ts';
export type { TestOriginOptions } from './test-origin/test-origin.ts';
export { openPair, TestClient, TestHost } from './test-host.ts';
export type { ControlMessage, HostOptions, TestPair } from './test-host.ts';
export { deriveChannelKeys, makeTunnelKeyPair, tunnelKeyPairFromJwk } from './tunnel-peer/key-schedule.ts';
export type { ChannelKeys, TunnelKeyPair, TunnelPublicJwk } from './tunnel-peer/key-schedule.ts';
export {
  batchPlaintext,
  decodePeerFrame,
  encodePeerFrame,
  PEER_FRAME,
  singlePlaintext,
} from './tunnel-peer/peer-frame.ts';
export type { PeerFrame, PeerFrameInput } from './tunnel-peer/peer-frame.ts';
export { openMessage, sealMessage } from './tunnel-peer/sealed-message.ts';
export type { OpenedMessage, SealInput } from './tunnel-peer/sealed-message.ts';
export { TunnelEnd } from './tunnel-peer/tunnel-end.ts';
export type { FrameFilter, ReceivedFrame, SealOverrides } from './tunnel-peer/tunnel-end.ts';
export { TunnelTestClient } from './tunnel-peer/tunnel-test-client.ts';
export type {
  HelloOptions,
  TunnelAnswer,
  TunnelClientOptions,
  TunnelPairing,
  TunnelRequestInput,
} from './tunnel-peer/tunnel-test-client.ts';
export { TunnelHostChannel, TunnelTestHost } from './tunnel-peer/tunnel-test-host.ts';
export type {
  AnswerOptions,
  HelloMessage,
  TunnelHostOptions,
  TunnelRequest,
} from './tunnel-peer/tunnel-test-host.ts';
export { DEFAULT_WAIT_MS, delay, eventually, withTimeout } from './wait.ts';
export type { EventuallyOptions } from './wait.ts';
export { closed, Peer } from './ws-peer.ts';
export type { CloseInfo, PeerMessage, PeerOptions } from './ws-peer.ts';
