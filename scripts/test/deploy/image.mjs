// Builds the image for real, looks into it, and runs the services of the Compose files in it.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run, toolEnvironment } from '../../run/command.mjs';
import { appFolder, root, tool } from '../../run/workspace.mjs';
import { CONTENT_FAULTS } from './image.faults.mjs';
import { configFaults, contentFaults, listContents, moduleFaults, readModules } from './image.contents.mjs';
import { createTally } from './tally.mjs';

const CONTAINER_CHECK = join(root, 'scripts', 'container-check');
const TAG = 'localhost/openchamber-relay:check';
const MAX_MODULES_BYTES = 12 * 1024 * 1024;
const TOOLS = ['buildah', 'debootstrap', 'runc', 'ip'];

/** Resolves to `{ passed, failed, skipped }`. */
export async function checkImage() {
  const tally = createTally();
  const reason = whyNot();
  if (reason) {
    tally.skip('the image', reason);
    return tally.counts();
  }
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-image-'));
  let container;
  const cleanUp = () => {
    if (container) containerCheck('remove', container);
    rmSync(folder, { recursive: true, force: true });
  };
  const onSignal = (signal) => {
    cleanUp();
    process.exit(128 + constants.signals[signal]);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const expected = expectations();
    await tally.test('Dockerfile.relay builds', () => build(expected));
    if (tally.counts().failed > 0) return tally.counts();
    const [name, rootfs] = containerCheck('mount', TAG).trim().split('\n');
    container = name;
    const image = { rootfs, config: JSON.parse(containerCheck('inspect', TAG)).Docker.config };
    await look(tally, { image, expected });
    await putToWork(tally, { image, expected, folder });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    cleanUp();
  }
  return tally.counts();
}

/** In CI what is missing is installed; nobody else's machine is changed without being asked. */
function whyNot() {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid() !== 0) return 'needs root';
  const missing = TOOLS.filter((name) => !onPath(name));
  return process.env.CI !== 'true' && missing.length > 0
    ? `needs ${missing.join(', ')} (with CI=true they are installed; or run scripts/container-check prepare)`
    : undefined;
}

function onPath(name) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, name)));
}

function expectations() {
  const { version } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  return { version, revision };
}

async function build({ version, revision }) {
  const labels = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`];
  const { code, output } = await run(CONTAINER_CHECK, ['build', '-t', TAG, ...labels, root]);
  assert.equal(code, 0, output.slice(-4000));
}

function containerCheck(...args) {
  return execFileSync(CONTAINER_CHECK, args, { encoding: 'utf8' });
}

async function look(tally, { image: { rootfs, config }, expected }) {
  const contents = listContents(rootfs);
  const modules = readModules(rootfs, contents);
  const manifest = JSON.parse(readFileSync(join(rootfs, 'opt/openchamber/package.json'), 'utf8'));
  const locked = lockedPackages();
  await tally.test(
    'the image has its user, commands, ports, labels and health check, and nothing of Apple',
    () => {
      assert.deepEqual(configFaults(config, expected), []);
    },
  );
  await tally.test('it holds no source, test, map or tool, and belongs to root but for /data', () => {
    assert.deepEqual(contentFaults(contents), []);
  });
  await tally.test(
    'it has exactly the packages that are needed at run time, as the lock file has them',
    () => {
      assert.deepEqual(moduleFaults({ manifest, modules, locked }), []);
    },
  );
  await tally.test('its commands are, byte for byte, those that are published on npm', () => {
    assert.deepEqual(bundleOf(join(rootfs, 'opt/openchamber')), bundleOf(appFolder));
  });
  const bytes = contents
    .filter(({ path, isFile }) => isFile && path.startsWith('opt/openchamber/node_modules/'))
    .reduce((sum, { size }) => sum + size, 0);
  await tally.test(
    `its node_modules has ${(bytes / 1024 ** 2).toFixed(1)} MiB in ${Object.keys(modules).length} packages`,
    () => {
      assert.ok(bytes < MAX_MODULES_BYTES, `more than ${MAX_MODULES_BYTES} bytes`);
    },
  );
  const subject = { contents, modules, manifest, config, locked, expected };
  for (const { name, expect, spoil } of CONTENT_FAULTS) {
    await tally.test(`an image ${name}: noticed`, () => {
      const broken = { ...subject, ...spoil(subject) };
      const faults = [
        ...configFaults(broken.config, broken.expected),
        ...contentFaults(broken.contents),
        ...moduleFaults(broken),
      ];
      assert.ok(
        faults.some((fault) => expect.test(fault)),
        faults.join('\n') || 'nothing was noticed',
      );
    });
  }
}

/** Every file of the bundle that the package publishes, with its hash. */
function bundleOf(folder) {
  const { files } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  const paths = files.flatMap((name) => {
    const path = join(folder, name);
    return lstatSync(path).isDirectory() ? readdirSync(path).map((inner) => join(name, inner)) : [name];
  });
  const hash = (path) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(paths.toSorted().map((path) => [path, hash(path)]));
}

function lockedPackages() {
  // Two documents: pnpm itself, then the workspace.
  const text = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const workspace = parse(text.split(/^---$/m).at(-1), { merge: false });
  return new Set(Object.keys(workspace.packages));
}

/**
 * In a network of its own, where the image's ports are free and nothing gets out, and among processes of its own, which
 * all end with it.
 */
async function putToWork(tally, { image, expected, folder }) {
  const program = join(root, 'scripts', 'test', 'deploy', 'image.run.mjs');
  const script = 'PATH="$PATH:/usr/sbin:/sbin" && ip link set lo up && exec "$@"';
  const namespaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...namespaces, '--', 'sh', '-c', script, 'sh', tool('node'), program], {
    env: toolEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send({ image, expected, folder });
  let counts = { passed: 0, failed: 1 };
  child.once('message', (message) => {
    counts = message;
  });
  await once(child, 'close');
  tally.add(counts);
}
