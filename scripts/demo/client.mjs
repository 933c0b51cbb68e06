// The Client of the demo: sends a file in binary messages and writes down what comes back.
//   node client.mjs <relay url> <serverId> <file to send> <file to write>
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { failOn, MAX_WAITING_BYTES } from './peer.mjs';

const CHUNK_BYTES = 64 * 1024;
const PROGRESS_BYTES = 1024 * 1024;

const [relayUrl, serverId, sent, received] = process.argv.slice(2);
const total = statSync(sent).size;
const query = new URLSearchParams({ v: '1', role: 'client', serverId });
const socket = new WebSocket(`${relayUrl}?${query}`, { perMessageDeflate: false });
failOn(socket, 'client');
process.once('disconnect', () => process.exit(1));

const output = createWriteStream(received);
let receivedBytes = 0;
socket.on('message', (message) => {
  if (!output.write(message)) {
    socket.pause();
    output.once('drain', () => socket.resume());
  }
  const reported = Math.floor(receivedBytes / PROGRESS_BYTES);
  receivedBytes += message.length;
  if (Math.floor(receivedBytes / PROGRESS_BYTES) > reported) {
    process.send({ receivedBytes });
  }
  if (receivedBytes >= total) {
    output.end(finish);
  }
});

await once(socket, 'open');
for await (const chunk of createReadStream(sent, { highWaterMark: CHUNK_BYTES })) {
  await new Promise((resolve) => {
    // Below the bound the next chunk may be read at once; above it only when this one has left the process.
    const mayGoOn = socket.bufferedAmount < MAX_WAITING_BYTES;
    socket.send(chunk, { binary: true }, mayGoOn ? undefined : resolve);
    if (mayGoOn) {
      resolve();
    }
  });
}

function finish() {
  // The last write may have paused it, and a stream that has ended drains no more.
  socket.resume();
  socket.removeAllListeners('close');
  // Nothing is left to do, and the process ends by itself: process.exit() may wait for V8's own threads for ever.
  socket.once('close', () => {
    process.removeAllListeners('disconnect');
    process.disconnect();
  });
  socket.close(1000);
}
