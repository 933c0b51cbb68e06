// What a message costs its sender: framed by `ws`, framed here, and its encryption beside them.
//   WS_NO_BUFFER_UTIL=1 node --conditions=@openchambery/source bench/mask.ts
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ByteStream, createNodeAeadKey, createWsTransport } from '@openchambery/tunnel/node';
import { WebSocket, WebSocketServer } from 'ws';

const SIZES = [100, 1024, 16_384, 65_536];
const ROUNDS = 7;
/** How much is sent in a round, in bytes. */
const ROUND_BYTES = 32 * 1024 * 1024;
/** Besides its bytes every message costs about what so many bytes do. */
const OVERHEAD_BYTES = 2000;

type Act = (payload: Uint8Array) => void;

const key = createNodeAeadKey(randomBytes(32));
const iv = randomBytes(12);

process.stdout.write('CPU time per message [µs], the best round: framed by ws, framed here, encrypted\n');
for (const bytes of SIZES) {
  const byWs = await bestSending(bytes, 'ws');
  const here = await bestSending(bytes, 'own');
  const sealed = bestOf(bytes, (payload) => void key.seal(iv, payload));
  process.stdout.write(`${bytes} bytes: ${[byWs, here, sealed].map((us) => us.toFixed(2)).join(', ')}\n`);
}

/** Framing alone: the stream under the socket swallows what it is given. */
async function bestSending(bytes: number, framing: 'ws' | 'own'): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const upgraded = once(socket, 'upgrade') as Promise<[{ socket: ByteStream }]>;
  await once(socket, 'open');
  const [{ socket: stream }] = await upgraded;
  stream.write = () => true;
  const transport = createWsTransport(socket, framing === 'own' ? { stream } : {});
  const best = bestOf(bytes, (payload) => transport.send(payload));
  socket.terminate();
  server.close();
  return best;
}

function bestOf(bytes: number, act: Act): number {
  const payload = randomBytes(bytes);
  const count = Math.ceil(ROUND_BYTES / (bytes + OVERHEAD_BYTES));
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) act(payload);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}
