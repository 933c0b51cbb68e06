export { FakeClock } from './fake-clock.ts';
export type { FakeTimer } from './fake-clock.ts';
export { clientQuery, makeIdentity, signedQuery, signText, uniqueTs } from './host-identity.ts';
export type { HostIdentity, QueryOverrides, SignedQueryOptions, UpgradeRole } from './host-identity.ts';
export { Inbox } from './inbox.ts';
export type { TakeOptions } from './inbox.ts';
export { RawSocket } from './raw-socket.ts';
export type { HttpResponse, RawSocketOptions, StreamEnd } from './raw-socket.ts';
export { closePayload, encodeFrame, encodeUpgrade, opcodes, RawWebSocket } from './raw-web-socket.ts';
export type { IncomingFrame, OutgoingFrame, UpgradeRequest } from './raw-web-socket.ts';
export {
  freePort,
  RELAY_PREFIX,
  residentBytes,
  runRelay,
  spawnRelay,
  startRelay,
} from './relay-process.ts';
export type {
  ExitInfo,
  RelayCommand,
  RelayCommandOptions,
  RelayProcess,
  StartRelayOptions,
} from './relay-process.ts';
export { openPair, TestClient, TestHost } from './test-host.ts';
export type { ControlMessage, HostOptions, TestPair } from './test-host.ts';
export { DEFAULT_WAIT_MS, delay, eventually, withTimeout } from './wait.ts';
export type { EventuallyOptions } from './wait.ts';
export { closed, Peer } from './ws-peer.ts';
export type { CloseInfo, PeerMessage, PeerOptions } from './ws-peer.ts';
