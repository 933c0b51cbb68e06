// Boots a real systemd in namespaces of its own, with the units of deploy/systemd and the built commands.
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { appFolder, root, tool } from '../../run/workspace.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const SYSTEMD = '/lib/systemd/systemd';
/** How long systemd may take to answer, in ms. */
const BOOT_MS = 20_000;

/** Why this machine cannot do it, or undefined. */
export function whyNotBooted() {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid() !== 0) return 'needs root, for namespaces and mounts';
  if (!existsSync(SYSTEMD)) return `needs ${SYSTEMD}`;
  if (!existsSync(join(appFolder, 'dist', 'openchamber-relay.js'))) return 'needs the build: npm run build';
  if (!isWritable(cgroupRoot())) return 'needs a cgroup2 file system to make a cgroup in';
  const tried = spawnSync('unshare', ['-mpfCuin', '--mount-proc', 'true'], { encoding: 'utf8' });
  if (tried.status !== 0) return `needs namespaces: ${tried.stderr?.trim() || tried.error?.message}`;
  return undefined;
}

/** Boots, gives `test` a function that runs a command inside, and ends everything. */
export async function withBootedSystemd(test) {
  // A cgroup of its own, so that what systemd makes can be taken away again.
  const cgroup = join(cgroupRoot(), `openchamber-systemd-${process.pid}`);
  mkdirSync(cgroup);
  const enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"';
  const unshare = [
    'unshare',
    '-mpfCuin',
    '--mount-proc',
    '--kill-child',
    'sh',
    join(here, 'systemd.init.sh'),
  ];
  const node = realpathSync(tool('node'));
  const child = spawn('sh', ['-c', enter, 'sh', cgroup, ...unshare, root, node], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const gone = new Promise((resolve) => {
    child.once('close', resolve);
  });
  try {
    const run = await whenBooted(child, () => said);
    await test(run);
  } finally {
    child.kill('SIGKILL');
    await gone;
    await removeCgroup(cgroup);
  }
}

function isWritable(folder) {
  if (folder === undefined) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    // Mounted read-only, as containers have it.
    if (error.code === 'EROFS' || error.code === 'EACCES') return false;
    throw error;
  }
}

function cgroupRoot() {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  return mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')?.[1];
}

async function whenBooted(child, said) {
  const deadline = performance.now() + BOOT_MS;
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`no systemd: ${said()}`);
    const pid = childOf(child.pid);
    if (pid !== undefined) {
      const run = (...command) => runInside(pid, command);
      const state = run('systemctl', 'is-system-running');
      if (/^(running|degraded)/.test(state.stdout)) return run;
    }
    await delay(100);
  }
}

/** PID 1 of the namespaces, by its number here. */
function childOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? undefined : text.split(' ')[0];
  } catch {
    // It has ended; the caller sees that.
    return undefined;
  }
}

function runInside(pid, command) {
  const env = { PATH: '/opt/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
  const entered = ['-t', pid, '-m', '-p', '-n', '-i', '-u', '-C', ...command];
  return spawnSync('nsenter', entered, { env, encoding: 'utf8', timeout: 60_000 });
}

async function removeCgroup(folder) {
  // Its processes were killed with their namespace; the kernel may take a moment over it.
  for (let attempt = 1; attempt <= 50; attempt++) {
    try {
      removeFolders(folder);
      return;
    } catch {
      await delay(100);
    }
  }
  removeFolders(folder);
}

function removeFolders(folder) {
  if (existsSync(join(folder, 'cgroup.kill'))) writeFileSync(join(folder, 'cgroup.kill'), '1');
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeFolders(join(folder, entry.name));
  }
  rmdirSync(folder);
}
