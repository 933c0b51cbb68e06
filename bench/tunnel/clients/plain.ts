/**
 * A client over WebSockets without encryption, one connection per stream.
 * Run as a program with a channel to its parent: `plain.ts RELAY_URL SERVER_ID`.
 */
import { WebSocket } from 'ws';
import { clientQuery } from '../../load/host-key.ts';
import { argument } from '../parties/party-process.ts';
import { socketPath, SocketSession } from './socket-session.ts';
import { takeOrders } from './take-orders.ts';

const url = `${argument(0)}?${clientQuery(argument(1))}`;
takeOrders(socketPath(connect));

function connect(): Promise<SocketSession> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    socket.on('open', () => resolve(new SocketSession(socket)));
    socket.on('error', reject);
  });
}
