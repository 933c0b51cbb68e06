// Starts one of the commands, and ends it.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { freePort } from '../../run/free-port.mjs';

/** How long a command may take for anything, in ms; far more than it needs, as machines may be busy. */
const PATIENCE_MS = 30_000;

/** Runs a command to its end; resolves to `{ code, signal, stdout, stderr }`. */
export function runToEnd([command, ...args], options = {}) {
  return start([command, ...args], options).ended;
}

/** Starts a daemon with `--json`, on a free port; resolves once it listens. */
export async function startListening([command, ...args], options = {}) {
  const port = await freePort();
  const line = [command, ...args, '--json', '--port', String(port)];
  const daemon = start(line, options);
  const announced = await Promise.race([daemon.firstLine, daemon.ended]);
  if (typeof announced !== 'string' || JSON.parse(announced).status !== 'ok') {
    await daemon.stop();
    throw new Error(`${line.join(' ')} did not start: ${JSON.stringify(await daemon.ended)}`);
  }
  return { ...daemon, port };
}

/** A port that is taken until `close` is called. */
export async function takePort() {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: server.address().port, close: () => server.close() };
}

/** Only what is given stands in the environment of the command. */
function start([command, ...args], { env = {}, cwd = '/', ...identity }) {
  const child = spawn(command, args, { env, cwd, ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const firstLine = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text;
      if (output.stdout.includes('\n')) resolve(output.stdout.split('\n', 1)[0]);
    });
  });
  const ended = new Promise((resolve) => {
    const end = (code, signal) => {
      clearTimeout(impatience);
      resolve({ code, signal, ...output });
    };
    child.once('error', (error) => {
      output.stderr += error.message;
      end(null, null);
    });
    child.once('close', end);
  });
  const stop = (signal = 'SIGKILL') => {
    child.kill(signal);
    return ended;
  };
  return { pid: child.pid, firstLine, ended, stop };
}
