// A stage in a process of its own, so that what it writes can be kept apart: it, and all that it starts.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../run/workspace.mjs';

const PROGRAM = join(root, 'scripts', 'test', 'run-stage.mjs');

/**
 * Runs a stage; resolves to `{ passed, failed, skipped?, output }`. Alone it owns the terminal; else what it writes is
 * collected as `output`. A stage that ends without a result has failed.
 */
export async function startStage({ name }, { isAlone }) {
  const streams = isAlone ? ['inherit', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'];
  const child = fork(PROGRAM, [name], { cwd: root, stdio: [...streams, 'ipc'] });
  let output = '';
  const take = (chunk) => {
    output += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', take);
  child.stderr?.setEncoding('utf8').on('data', take);
  let result;
  child.once('message', (message) => {
    result = message;
  });
  const [code, signal] = await once(child, 'close');
  if (result !== undefined) return { ...result, output };
  return { passed: 0, failed: 1, output: `${output}It ended with ${code ?? signal} and without a result.\n` };
}
