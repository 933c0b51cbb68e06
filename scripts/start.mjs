// `npm start`: sets up, then runs the installed openchamber-relay in the foreground.
//   npm start -- --port 9000
import { spawn } from 'node:child_process';
import { exitCodeOf, toolEnvironment } from './run/command.mjs';
import { tool } from './run/workspace.mjs';
import { setUp } from './setup/set-up.mjs';

await setUp();
const relay = spawn(tool('openchamber-relay'), process.argv.slice(2), {
  env: toolEnvironment(),
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Ctrl-C reaches the relay from the terminal as well; it takes the echo for the same request.
  process.on(signal, () => relay.kill(signal));
}
if (process.env.npm_lifecycle_event !== undefined) {
  // npm passes SIGTERM to a shell that dies of it and leaves us behind; a relay nobody sees would keep the port.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && relay.kill('SIGTERM'), 500).unref();
}
relay.on('error', (error) => {
  process.stderr.write(`openchamber-relay cannot be started: ${error.message}\n`);
  process.exitCode = 1;
});
relay.on('close', (code, signal) => {
  process.exitCode = exitCodeOf(code, signal);
});
