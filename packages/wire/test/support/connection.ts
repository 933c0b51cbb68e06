import type { Socket } from 'node:net';
import { takeOver } from '../../src/index.ts';
import type { WireConnection } from '../../src/index.ts';
import type { ScriptedSocket } from './scripted-socket.ts';
import type { TestContext } from './test-context.ts';

/** RFC 6455 §1.3. */
const SAMPLE_KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

/** A TCP connection whose handshake is done, as a server hands it over. */
export function tcpConnection(socket: Socket, test: TestContext): WireConnection {
  return { transport: takeOver(socket, test.context.readBuffer), head: Buffer.alloc(0), key: SAMPLE_KEY };
}

/** A scripted socket whose handshake is done. Its handle only tells; it cannot be moved to another socket. */
export function scriptedConnection(peer: ScriptedSocket, test: TestContext): WireConnection {
  const { _handle: handle } = peer;
  peer._handle = null;
  const connection = tcpConnection(peer.asSocket, test);
  peer._handle = handle;
  return connection;
}
