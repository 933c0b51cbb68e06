// What every step of a workflow needs: its inputs (environment variables only, so that nothing a stranger may choose
// is ever pasted into a shell line), its outputs, and an end that GitHub shows.
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { ReleaseFault } from './release-fault.mjs';

/** Runs a step; a ReleaseFault becomes one error line and exit code 1. */
export async function runStep(step) {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ReleaseFault)) {
      throw error;
    }
    announce('error', error.message);
    process.exitCode = 1;
  }
}

/** An environment variable that must be there and not empty. */
export function required(name, env = process.env) {
  const value = env[name] ?? '';
  if (value === '') {
    throw new ReleaseFault(`The environment variable ${name} is missing or empty.`);
  }
  return value;
}

/** A variable that must be `true` or `false`; missing is a workflow that forgot it, not `false`. */
export function flag(name, env = process.env) {
  const value = required(name, env);
  if (!['true', 'false'].includes(value)) {
    throw new ReleaseFault(`${name} must be true or false, not ${value}.`);
  }
  return value === 'true';
}

/** Prints the outputs of a step, and hands them to GitHub where there is one. Values are single lines. */
export function writeOutputs(outputs, env = process.env) {
  const lines = Object.entries(outputs).map(([name, value]) => {
    if (/[\r\n]/.test(String(value))) {
      throw new ReleaseFault(`The output ${name} has more than one line.`);
    }
    return `${name}=${value}\n`;
  });
  process.stdout.write(lines.join(''));
  if (env.GITHUB_OUTPUT) {
    appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
  }
}

/** A remark that GitHub shows on the page of the run. */
export function warn(text) {
  announce('warning', text);
}

/** Runs a tool without a shell; returns `{ code, output }` with stdout and stderr together. */
export function runTool(command, args, { cwd, env = process.env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) {
    throw new ReleaseFault(`${command} could not be run: ${error.message}`);
  }
  return { code: status ?? 1, output: `${stdout}${stderr}`, stdout };
}

/** Like runTool, but anything but exit code 0 is a fault; returns stdout. */
export function mustRun(command, args, options) {
  const { code, output, stdout } = runTool(command, args, options);
  if (code !== 0) {
    throw new ReleaseFault(`${command} ${args[0]} failed with exit code ${code}:\n${output}`);
  }
  return stdout;
}

function announce(kind, text) {
  process.stdout.write(
    process.env.GITHUB_ACTIONS ? `::${kind}::${escapeMessage(text)}\n` : `${kind}: ${text}\n`,
  );
}

// The escapes of GitHub's workflow commands.
function escapeMessage(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
