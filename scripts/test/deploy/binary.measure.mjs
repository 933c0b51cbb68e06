// What the executable costs beside the npm package on Node.js. Told, not judged: machines differ and may be busy.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { appFolder, tool } from '../../run/workspace.mjs';
import { runToEnd, startListening } from './binary.process.mjs';

/** Runs of each; the middle one counts. */
const RUNS = 5;
/** By then the start has left what it leaves, in ms. */
const IDLE_MS = 1000;

/** Prints size, start time and memory. */
export async function describeExecutable(executable) {
  say(`        size: ${(statSync(executable).size / 1e6).toFixed(0)} MB`);
  const commands = {
    'the executable': [executable],
    'the package on Node.js': [tool('node'), join(appFolder, 'bin', 'openchamber-relay.js')],
  };
  for (const [name, command] of Object.entries(commands)) {
    const version = await median(() => timeToVersion(command));
    const listening = await median(() => timeToListen(command));
    say(
      `        ${name}: --version ${version} ms, listening ${listening} ms, idle ${await idleMemory(command)}`,
    );
  }
}

async function median(measure) {
  const times = [];
  for (let i = 0; i < RUNS; i++) times.push(await measure());
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)].toFixed(0);
}

async function timeToVersion(command) {
  const startedAt = performance.now();
  await runToEnd([...command, '--version']);
  return performance.now() - startedAt;
}

async function timeToListen(command) {
  const startedAt = performance.now();
  const daemon = await startListening(command);
  const time = performance.now() - startedAt;
  await daemon.stop();
  return time;
}

async function idleMemory(command) {
  if (process.platform !== 'linux') return 'memory not measured';
  const daemon = await startListening(command);
  try {
    await delay(IDLE_MS);
    const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
    const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return `${(kilobytes('VmRSS') / 1024).toFixed(1)} MiB, of it private ${(kilobytes('RssAnon') / 1024).toFixed(1)} MiB`;
  } finally {
    await daemon.stop();
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
