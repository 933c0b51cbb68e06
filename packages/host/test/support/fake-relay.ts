import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseUpgradeTarget, type UpgradeRequest } from '@openchambery/protocol';
import { Inbox } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

/** A socket that a Host opened, with what it asked for. */
export interface Arrival {
  readonly socket: WebSocket;
  readonly upgrade: UpgradeRequest;
}

/** A relay that does nothing by itself: the test says every word. */
export interface FakeRelay {
  readonly url: string;
  /** Sockets in the order in which they came. */
  readonly arrivals: Inbox<Arrival>;
}

export async function startFakeRelay(options: { readonly autoPong?: boolean } = {}): Promise<FakeRelay> {
  const server = createServer();
  const sockets = new WebSocketServer({
    server,
    autoPong: options.autoPong ?? true,
    perMessageDeflate: false,
  });
  const arrivals = new Inbox<Arrival>('upgrades', ({ upgrade }) => upgrade.role);
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    socket.on('error', () => 'the Host broke it off');
    arrivals.push({ socket, upgrade: readUpgrade(request) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, arrivals };
}

function readUpgrade({ url = '' }: IncomingMessage): UpgradeRequest {
  const parsed = parseUpgradeTarget(url, { path: '/ws', maxUrlBytes: 4096, maxFieldBytes: 512 });
  if (!parsed.ok) throw new Error(parsed.fault.detail);
  return parsed.upgrade;
}
