import type { ClientStatus, RelayClient } from '@openchambery/client';
import type { HostStatus, RelayHost } from '@openchambery/host';
import { withTimeout } from '@openchambery/testkit';

/** Longer than any wait of a test that holds its parties up on purpose, in ms. */
const PATIENCE_MS = 30_000;

/** The first status of a Host in `state`, be it the present one. */
export function hostIn<State extends HostStatus['state']>(
  host: RelayHost,
  state: State,
): Promise<Extract<HostStatus, { state: State }>> {
  const found = new Promise<Extract<HostStatus, { state: State }>>((resolve) => {
    const look = (status: HostStatus): void => {
      if (status.state !== state) return;
      host.off('status', look);
      resolve(status as Extract<HostStatus, { state: State }>);
    };
    host.on('status', look);
    look(host.status);
  });
  return withTimeout(found, () => `the Host is ${JSON.stringify(host.status)}`, PATIENCE_MS);
}

/** The first status of a Client in `state`, be it the present one. */
export function clientIn<State extends ClientStatus['state']>(
  client: RelayClient,
  state: State,
): Promise<Extract<ClientStatus, { state: State }>> {
  const found = new Promise<Extract<ClientStatus, { state: State }>>((resolve) => {
    const look = (status: ClientStatus): boolean => {
      if (status.state === state) resolve(status as Extract<ClientStatus, { state: State }>);
      return status.state === state;
    };
    if (look(client.status)) return;
    const stop = client.onStatus((status) => {
      if (look(status)) stop();
    });
  });
  return withTimeout(found, () => `the Client is ${JSON.stringify(client.status)}`, PATIENCE_MS);
}

/** How the next Client's connection at the Host ends. */
export function nextClosed(host: RelayHost): Promise<string> {
  const closed = new Promise<string>((resolve) => {
    const hear = ({ reason }: { readonly reason: string }): void => {
      host.off('connectionClosed', hear);
      resolve(reason);
    };
    host.on('connectionClosed', hear);
  });
  return withTimeout(closed, () => 'no connection of a Client has ended', PATIENCE_MS);
}

/** Resolves when as many connections of Clients have ended at a Host. */
export function closedConnections(host: RelayHost, count: number): Promise<void> {
  let left = count;
  const closed = new Promise<void>((resolve) => {
    const hear = (): void => {
      left -= 1;
      if (left > 0) return;
      host.off('connectionClosed', hear);
      resolve();
    };
    host.on('connectionClosed', hear);
  });
  return withTimeout(closed, () => `${left} connections of Clients have not ended`, PATIENCE_MS);
}
