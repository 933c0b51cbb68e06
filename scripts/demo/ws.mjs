// The `ws` of the workspace. It is a dev dependency of the app, not of the root, hence the detour.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { appFolder } from '../run/workspace.mjs';

/** The WebSocket class of `ws`. */
export const WebSocket = createRequire(join(appFolder, 'package.json'))('ws');

/** Most bytes either peer lets wait in its own process before it stops taking more. */
export const MAX_WAITING_BYTES = 1024 * 1024;

/** Ends the process with a reason: a peer that goes on without its socket would only hang. */
export function failOn(socket, what) {
  socket.on('error', (error) => fail(`${what}: ${error.message}`));
  socket.on('close', (code, reason) => fail(`${what} closed with ${code} ${reason}`));
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
