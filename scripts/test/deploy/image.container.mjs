// Runs a service of a Compose file with runc, as Docker would set the container up: the image's configuration, the
// service's hardening, its limits, its secret and its volume. What runc is not told: networks and seccomp.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

const NODE = { uid: 1000, gid: 1000 };
const UNITS = { m: 1024 ** 2, g: 1024 ** 3 };
// runc's default for processes that nobody asked to harden; ours have none.
const NO_CAPABILITIES = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };

/**
 * Starts a container. `image`: `{ rootfs, config }`; `service`: resolved, as Compose has it; `environment`: what Compose
 * adds; `binds`: `[{ source, destination, isWritable }]`; `args`: what follows the entrypoint.
 */
export function startContainer({ image, service, environment = {}, binds = [], args = [], folder }) {
  const id = `openchamber-${randomBytes(4).toString('hex')}`;
  const bundle = join(folder, id);
  mkdirSync(bundle);
  writeFileSync(
    join(bundle, 'config.json'),
    JSON.stringify(specification({ image, service, environment, binds, args })),
  );
  // Its notes about containers go where the test's other files go.
  const state = ['--root', join(folder, 'runc')];
  const child = spawn('runc', [...state, 'run', '--bundle', bundle, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return wrap(id, { child, state });
}

function wrap(id, { child, state }) {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  // runc ends with the exit code of the container.
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  const runc = (...args) => spawnSync('runc', [...state, ...args], { encoding: 'utf8' });
  return {
    output,
    ended,
    /** Resolves with the first line of stdout; rejects when the container ends before it. */
    firstLine: () =>
      new Promise((resolve, reject) => {
        const look = () => output.stdout.includes('\n') && resolve(output.stdout.split('\n')[0]);
        child.stdout.on('data', look);
        look();
        child.once('close', (code) => reject(new Error(`ended with ${code}: ${output.stderr}`)));
      }),
    /** Runs a command beside the daemon, as `docker exec` and health checks do. */
    exec: (...command) => {
      const { status, stdout, stderr } = runc('exec', id, ...command);
      return { code: status, stdout, stderr };
    },
    signal: (name) => runc('kill', id, name),
    /** What `docker stop` does; resolves to the exit code. */
    stop: () => {
      runc('kill', id, 'TERM');
      return ended;
    },
    /** Ends it whatever state it is in. */
    remove: async () => {
      runc('kill', id, 'KILL');
      await ended;
      runc('delete', '--force', id);
    },
  };
}

function specification({ image: { rootfs, config }, service, environment, binds, args }) {
  const variables = { ...Object.fromEntries(config.Env.map(splitOnce)), ...environment };
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: userOf(service.user ?? config.User),
      args: [...(service.entrypoint ?? config.Entrypoint), ...args],
      env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      cwd: config.WorkingDir,
      capabilities: service.cap_drop?.includes('ALL') ? NO_CAPABILITIES : undefined,
      noNewPrivileges: service.security_opt?.includes('no-new-privileges:true') ?? false,
      rlimits: [openFiles(service.ulimits.nofile)],
    },
    root: { path: rootfs, readonly: service.read_only },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      ...service.tmpfs.map((entry) => {
        const [destination, options] = entry.split(':');
        return {
          destination,
          type: 'tmpfs',
          source: 'tmpfs',
          options: ['nosuid', 'nodev', 'noexec', ...options.split(',')],
        };
      }),
      ...binds.map(({ source, destination, isWritable }) => ({
        destination,
        type: 'bind',
        source,
        options: ['bind', isWritable ? 'rw' : 'ro', 'nosuid', 'nodev'],
      })),
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })),
      resources: {
        pids: { limit: service.pids_limit },
        memory: { limit: Number.parseInt(service.mem_limit, 10) * UNITS[service.mem_limit.at(-1)] },
      },
    },
  };
}

/** An empty named volume: a folder that looks like the one it hides. */
export function createVolume(folder, { rootfs, destination }) {
  const { uid, gid, mode } = lstatSync(join(rootfs, destination));
  mkdirSync(folder, { mode: mode & 0o777 });
  chownSync(folder, uid, gid);
  return { source: folder, destination, isWritable: true };
}

/** Not every root may raise its own limit. */
function openFiles(wanted) {
  const [, own] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const limit = Math.min(wanted, Number(own ?? wanted));
  return { type: 'RLIMIT_NOFILE', soft: limit, hard: limit };
}

function userOf(name) {
  return name === 'node' ? NODE : { uid: 0, gid: 0 };
}

function splitOnce(entry) {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
