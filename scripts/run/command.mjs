// Runs the tools of the workspace with Node 24 first in PATH.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, sep } from 'node:path';
import { binFolder, root } from './workspace.mjs';

/** The environment of every tool: ours, with the tools of the workspace first in PATH. */
export function toolEnvironment(extra = {}) {
  return { ...process.env, PATH: `${binFolder}${delimiter}${process.env.PATH ?? ''}`, ...extra };
}

/** The PATH outside of this checkout: the Node and npm that a user of the published package has. */
export function outsidePath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !`${folder}${sep}`.startsWith(`${root}${sep}`)).join(delimiter);
}

/** The exit code a shell would report. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/**
 * Runs a command to its end and resolves to `{ code, output }`; never rejects. `show`: 'all' passes its output
 * on (to stderr, ours to stdout stays ours), 'none' only collects it.
 */
export function run(command, args, { cwd = root, env = {}, show = 'none' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: toolEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk) => {
      output += chunk;
      if (show === 'all') {
        process.stderr.write(chunk);
      }
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: 1, output: `${output}${command}: ${error.message}\n` }));
    child.on('close', (code, signal) => resolve({ code: exitCodeOf(code, signal), output }));
  });
}

/** Runs a command that owns the terminal until it ends; resolves to its exit code. */
export function runInForeground(command, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: toolEnvironment(env), stdio: 'inherit' });
    child.on('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
}
