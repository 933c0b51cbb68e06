/**
 * A Client as its users have it, with WebSockets of the origin through one tunnel.
 * Run as a program with a channel to its parent: `tunnel-sockets.ts RELAY_URL SERVER_ID HOST_ENC_PUB_JWK`.
 */
import { EventEmitter } from 'node:events';
import { createRelayClient, type RawSocket, type RelayClientOptions } from '@openchambery/client';
import { argument } from '../parties/party-process.ts';
import { type MessageSocket, socketPath, SocketSession } from './socket-session.ts';
import { takeOrders } from './take-orders.ts';

type OnSent = (error?: Error | null) => void;

const client = createRelayClient({
  relayUrl: argument(0),
  serverId: argument(1),
  hostEncPubJwk: JSON.parse(argument(2)) as RelayClientOptions['hostEncPubJwk'],
});
await client.connect();
takeOrders(socketPath(connect));

async function connect(): Promise<SocketSession> {
  const events = new EventEmitter<{ message: [Buffer]; close: [number] }>();
  let onRoom: OnSent | undefined;
  const { socket }: RawSocket = await client.openSocket(
    { path: '/', query: '' },
    {
      onMessage: (message) => events.emit('message', Buffer.from(message as Uint8Array)),
      onDrain: () => onRoom?.(),
      onClose: ({ code }) => events.emit('close', code),
    },
  );
  const line: MessageSocket = {
    get bufferedAmount() {
      return socket.bufferedBytes;
    },
    send: (data, callback) => {
      if (socket.send(data)) callback?.();
      else onRoom = callback;
    },
    on: events.on.bind(events) as MessageSocket['on'],
  };
  return new SocketSession(line);
}
