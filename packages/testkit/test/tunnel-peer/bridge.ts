import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { makeTunnelKeyPair } from '../../src/tunnel-peer/key-schedule.ts';
import { TunnelTestClient } from '../../src/tunnel-peer/tunnel-test-client.ts';
import type { TunnelClientOptions } from '../../src/tunnel-peer/tunnel-test-client.ts';
import { TunnelHostChannel } from '../../src/tunnel-peer/tunnel-test-host.ts';
import { Peer } from '../../src/ws-peer.ts';

/** The two ends of a tunnel, before the handshake. */
export interface Ends {
  readonly client: TunnelTestClient;
  readonly host: TunnelHostChannel;
}

/** Both ends with nothing but a server between them that passes each message to the other. */
export async function bridge(options: TunnelClientOptions = {}): Promise<Ends> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const arrivals: WebSocket[] = [];
  server.on('connection', (socket) => arrivals.push(socket));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const encryption = makeTunnelKeyPair();
  const clientPeer = await new Peer('client', url).opened();
  const hostPeer = await new Peer('host', url).opened();
  const [one, two] = arrivals;
  if (one === undefined || two === undefined) throw new Error('two are open');
  join(one, two);
  join(two, one);
  const pairing = { relayUrl: url, serverId: 'unused', hostEncPubJwk: encryption.publicJwk };
  return {
    client: new TunnelTestClient(pairing, clientPeer, options),
    host: new TunnelHostChannel('bridged', hostPeer, encryption),
  };
}

function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => to.send(data, { binary: isBinary }));
  from.on('close', (code, reason) => to.close(code === 1005 || code === 1006 ? 1000 : code, reason));
}
