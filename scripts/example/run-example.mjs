// The small program and the page's server, as two processes that live and end together.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { exitCodeOf, toolEnvironment } from '../run/command.mjs';
import { root, tool } from '../run/workspace.mjs';

const folder = join(root, 'examples', 'browser');

/** Resolves to the exit code of the first that ends, when both are gone. */
export async function runExample({ originPort, pagePort }) {
  const origin = start('node', [
    '--conditions=@openchambery/source',
    join(folder, 'origin', 'main.ts'),
    String(originPort),
  ]);
  const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
  const page = start('node', [vite, '--port', String(pagePort), '--strictPort']);
  const both = [origin, page];
  const stop = () => both.forEach(({ child }) => child.kill('SIGTERM'));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const link = `http://localhost:${pagePort}/`;
  process.stdout.write(`The page: ${link}\n\nNow, in another terminal, make the program reachable:\n\n`);
  process.stdout.write(
    `  OPENCHAMBER_RELAY_URL=ws://127.0.0.1:8787/ws npx openchamber-tunnel expose ${originPort} --page ${link}\n\n`,
  );
  process.stdout.write('and open the link that it prints.\n');
  const code = await Promise.race(both.map(({ ended }) => ended));
  stop();
  await Promise.all(both.map(({ ended }) => ended));
  return code;
}

function start(name, args) {
  const child = spawn(tool(name), args, { cwd: folder, env: toolEnvironment(), stdio: 'inherit' });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(1);
    });
    child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  return { child, ended };
}
