export type { HostKeys } from './identity/host-keys.ts';
export type {
  Admission,
  HandlerContext,
  HostEvents,
  HostHandler,
  HostPolicy,
  HostSnapshot,
  HostStatus,
  HostTarget,
  RelayHost,
  RelayHostOptions,
  RequestToAdmit,
} from './relay-host.ts';
