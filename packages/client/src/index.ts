export { createRelayClient } from './create-relay-client.ts';
export type {
  ClientStatus,
  RawRequest,
  RawResponse,
  RawSocket,
  RelayClient,
  RelayClientOptions,
  TunnelWebSocket,
  TunnelWebSocketConstructor,
} from './relay-client.ts';
export type { RelayClientErrorCode, RelayClientErrorFacts } from './relay-client-error.ts';
export { RelayClientError } from './relay-client-error.ts';
