// Starts the three processes of the demo, feeds them a random file and compares what comes back.
import { createHash, randomFillSync } from 'node:crypto';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { freePort } from '../run/free-port.mjs';
import { createCast } from './cast.mjs';
import { createProgress } from './progress.mjs';

const MEBIBYTE = 1024 * 1024;

/**
 * Runs the demo with the relay that `command` starts; `env` is added to its environment. `peers` may name another Host
 * and Client, as createCast takes them. Resolves to 0 only if every byte came back unchanged.
 */
export async function runDemo({ command, bytes, env = {}, peers }) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-demo-'));
  const cast = createCast(peers);
  const cleanUp = () => {
    cast.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const onSignal = (signal) => {
    cleanUp();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    return await transfer({ cast, command, bytes, env, folder });
  } catch (error) {
    process.stdout.write(`The demo failed: ${error.message}\n`);
    return 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    cleanUp();
  }
}

async function transfer({ cast, command, bytes, env, folder }) {
  const sent = join(folder, 'sent');
  const received = join(folder, 'received');
  say(`Writing ${bytes / MEBIBYTE} MiB of random bytes …`);
  writeRandomFile(sent, bytes);

  const url = await cast.startRelay({ command, port: await freePort(), env });
  const host = await cast.startHost(url);
  say(`Relay ${url}, Host ${host.serverId.slice(0, 8)}…; the file goes Client -> relay -> Host and back,`);
  say('through an end-to-end encrypted tunnel that the relay cannot look into.');
  const progress = createProgress(bytes);
  const startedAt = performance.now();
  await cast.runClient({ url, host, sent, received, onProgress: progress.show });
  const elapsed = (performance.now() - startedAt) / 1000;
  progress.end();

  const [before, after] = [await checksum(sent), await checksum(received)];
  say(
    `Moved ${bytes / MEBIBYTE} MiB each way in ${elapsed.toFixed(2)} s: ${(bytes / MEBIBYTE / elapsed).toFixed(1)} MiB/s each way.`,
  );
  say(`SHA-256 sent      ${before}`);
  say(`SHA-256 received  ${after}`);
  await cast.stop();
  say(before === after ? 'The checksums are equal.' : 'The checksums DIFFER.');
  return before === after ? 0 : 1;
}

function writeRandomFile(file, bytes) {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(MEBIBYTE);
  for (let written = 0; written < bytes; written += block.length) {
    writeSync(descriptor, randomFillSync(block));
  }
  closeSync(descriptor);
}

async function checksum(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
