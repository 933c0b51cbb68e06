export { RelayClientError } from './relay-client-error.ts';
export type { RelayClientErrorCode, RelayClientErrorFacts } from './relay-client-error.ts';
export type {
  ClientStatus,
  RawRequest,
  RawResponse,
  RelayClient,
  RelayClientOptions,
  TunnelWebSocket,
} from './relay-client.ts';
