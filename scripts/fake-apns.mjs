// `npm run fake-apns`: sets up, then plays Apple's push services in the foreground, to try a set-up without Apple.
//   npm run fake-apns -- --production-port 9443 --sandbox-port 9444
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { exitCodeOf, toolEnvironment } from './run/command.mjs';
import { root, tool } from './run/workspace.mjs';
import { setUp } from './setup/set-up.mjs';

await setUp();
const main = join(root, 'packages', 'testkit', 'src', 'fake-apns', 'command', 'main.ts');
const fake = spawn(tool('node'), ['--conditions=@openchambery/source', main, ...process.argv.slice(2)], {
  env: toolEnvironment(),
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Ctrl-C reaches the fake from the terminal as well; it takes the echo for the same request.
  process.on(signal, () => fake.kill(signal));
}
if (process.env.npm_lifecycle_event !== undefined) {
  // npm passes SIGTERM to a shell that dies of it and leaves us behind; a fake nobody sees would keep the ports.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && fake.kill('SIGTERM'), 500).unref();
}
fake.on('error', (error) => {
  process.stderr.write(`fake-apns cannot be started: ${error.message}\n`);
  process.exitCode = 1;
});
fake.on('close', (code, signal) => {
  process.exitCode = exitCodeOf(code, signal);
});
