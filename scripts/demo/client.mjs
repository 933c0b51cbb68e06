// The Client of the demo: uploads a file through the tunnel, and writes down what comes back meanwhile.
//   node client.mjs <relay url> <serverId> <the Host's public key as JSON> <file to send> <file to write>
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createRelayClient } from '@openchambery/client';

const CHUNK_BYTES = 64 * 1024;
const PROGRESS_BYTES = 1024 * 1024;

const [relayUrl, serverId, key, sent, received] = process.argv.slice(2);
const client = createRelayClient({ relayUrl, serverId, hostEncPubJwk: JSON.parse(key) });
process.once('disconnect', () => process.exit(1));

try {
  await sendThereAndBack();
} catch (error) {
  process.stderr.write(`client: ${error.message}\n`);
  process.exitCode = 1;
}
client.close();
process.removeAllListeners('disconnect');
// Nothing is left to do, and the process ends by itself: process.exit() may wait for V8's own threads for ever.
process.disconnect();

async function sendThereAndBack() {
  const response = await client.fetch('/echo', {
    method: 'POST',
    body: Readable.toWeb(createReadStream(sent, { highWaterMark: CHUNK_BYTES })),
    duplex: 'half',
  });
  if (!response.ok) {
    throw new Error(`the Host answered ${response.status}`);
  }
  await pipeline(Readable.fromWeb(response.body), reportProgress(), createWriteStream(received));
}

function reportProgress() {
  let receivedBytes = 0;
  let reported = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      receivedBytes += chunk.length;
      if (Math.floor(receivedBytes / PROGRESS_BYTES) > reported) {
        reported = Math.floor(receivedBytes / PROGRESS_BYTES);
        process.send({ receivedBytes });
      }
      done(undefined, chunk);
    },
  });
}
