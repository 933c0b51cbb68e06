import { describe, expect, it } from 'vitest';
import type { ClientConnection } from '../../src/routing/client-connection.ts';
import { ConnectionIndex } from '../../src/routing/connection-index.ts';
import type { Host } from '../../src/routing/host.ts';

const hosts = ['h0', 'h1'].map((serverId) => ({ serverId }) as unknown as Host) as [Host, Host];

function connection(ip: string, host: Host): ClientConnection {
  return { ip, host } as unknown as ClientConnection;
}

function counts(index: ConnectionIndex): Record<string, number[]> {
  return {
    total: [index.size, index.pendingSize],
    ips: ['a', 'b'].map((ip) => index.countForIp(ip)),
    pendingIps: ['a', 'b'].map((ip) => index.countPendingForIp(ip)),
    pendingHosts: hosts.map((host) => index.countPendingForHost(host)),
  };
}

describe('ConnectionIndex', () => {
  it('counts clients by IP and, while they wait, by Host', () => {
    const index = new ConnectionIndex();
    index.addPending(connection('a', hosts[0]));
    index.addPending(connection('a', hosts[1]));
    index.addPending(connection('b', hosts[1]));
    expect(counts(index)).toEqual({ total: [3, 3], ips: [2, 1], pendingIps: [2, 1], pendingHosts: [1, 2] });
  });

  it('keeps a paired client, but not among those that wait', () => {
    const index = new ConnectionIndex();
    const paired = connection('a', hosts[0]);
    index.addPending(paired);
    index.addPending(connection('a', hosts[0]));
    index.endPending(paired);
    expect(counts(index)).toEqual({ total: [2, 1], ips: [2, 0], pendingIps: [1, 0], pendingHosts: [1, 0] });
  });

  it.each(['pending', 'paired'])('forgets a %s client wholly', (state) => {
    const index = new ConnectionIndex();
    const client = connection('a', hosts[0]);
    index.addPending(client);
    if (state === 'paired') index.endPending(client);
    index.remove(client);
    index.remove(client);
    expect(counts(index)).toEqual({ total: [0, 0], ips: [0, 0], pendingIps: [0, 0], pendingHosts: [0, 0] });
  });
});
