// What the Host and the Client of the demo share.

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
