/**
 * A client over WebSockets without encryption, one connection per stream.
 * Run as a program with a channel to its parent: `plain.ts RELAY_URL SERVER_ID`.
 */
import { WebSocket } from 'ws';
import { clientQuery } from '../../load/host-key.ts';
import { argument } from '../parties/party-process.ts';
import { SocketSession } from './socket-session.ts';
import { takeOrders } from './take-orders.ts';

const url = `${argument(0)}?${clientQuery(argument(1))}`;
const sessions: SocketSession[] = [];

takeOrders({
  sessions: async (count) => {
    while (sessions.length < count) sessions.push(await connect());
    return sessions.slice(0, count);
  },
});

function connect(): Promise<SocketSession> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    socket.on('open', () => resolve(new SocketSession(socket)));
    socket.on('error', reject);
  });
}
