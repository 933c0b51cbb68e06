// What the executable needs around it: nothing.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appFolder } from '../../run/workspace.mjs';
import { runToEnd, startListening, takePort } from './binary.process.mjs';

const NOBODY = { uid: 65_534, gid: 65_534 };
const PUSH = 'OPENCHAMBER_PUSH_RELAY_';

/** The link that makes a push relay of an executable. */
export function pushLinkTo(executable) {
  return join(dirname(executable), 'openchamber-push-relay');
}

/** Tests an executable, alone in its folder so far; leaves the link to it. */
export async function checkSurroundings(tally, { executable, folder }) {
  const { version } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  const push = pushLinkTo(executable);
  symlinkSync('openchamber-relay', push);

  await tally.test('it says its name and version without any environment', async () => {
    assert.equal((await succeed([executable, '--version'])).stdout, `${version}\n`);
    assert.match((await succeed([executable, '--help'])).stdout, /^Usage: openchamber-relay /);
  });
  await tally.test('called openchamber-push-relay it is that', async () => {
    assert.equal((await succeed([push, '--version'])).stdout, `${version}\n`);
    assert.match((await succeed([push, '--help'])).stdout, /^Usage: openchamber-push-relay /);
  });
  await tally.test('it serves without node, files of its own or a place to write, and ends with 0', () =>
    serveAsNobody(tally, { executable, folder }),
  );
  await tally.test('it loads nothing that lies around', () => ignoreSurroundings(executable));
  await tally.test('alone it loads nothing of push', () => loadOnlyTheRelay({ push, executable, folder }));
  await tally.test('push serves from it, as a daemon and inside the relay', () =>
    servePush([push, executable], folder),
  );
  await checkTerminal(tally, executable);
}

async function succeed(command, options) {
  const result = await runToEnd(command, options);
  assert.deepEqual([result.code, result.signal, result.stderr], [0, null, '']);
  return result;
}

/** Starts a daemon, asks for its health and ends it. */
async function serve(command, options) {
  const daemon = await startListening(command, options);
  try {
    assert.equal((await fetch(`http://127.0.0.1:${daemon.port}/healthz`)).status, 200);
  } finally {
    const { code, signal, stderr } = await daemon.stop('SIGTERM');
    assert.deepEqual([code, signal, stderr], [0, null, '']);
  }
}

async function serveAsNobody(tally, { executable, folder }) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) tally.skip('it serves as another user', 'only root may start one');
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  chmodSync(empty, 0o555);
  await serve([executable], { env: { TMPDIR: '/nonexistent' }, cwd: empty, ...(isRoot ? NOBODY : {}) });
}

/** Modules that would be found beside the program, or where it is started. */
async function ignoreSurroundings(executable) {
  const modules = join(dirname(executable), 'node_modules');
  const trace = join(dirname(executable), 'loaded');
  for (const name of ['bufferutil', 'pino', 'pino-pretty', 'hono', 'jose', 'valibot']) {
    mkdirSync(join(modules, name), { recursive: true });
    writeFileSync(
      join(modules, name, 'index.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(trace)}, 'x');`,
    );
  }
  const env = { ...pushVariables(dirname(executable), 'around'), NODE_PATH: modules };
  await serve([executable], { env, cwd: dirname(executable) });
  assert.equal(existsSync(trace), false);
}

/** Node itself says which parts of it were loaded. */
async function loadOnlyTheRelay({ push, executable, folder }) {
  const file = join(folder, 'tell.cjs');
  const tell = `process.once('exit', () => require('node:fs').writeSync(2, process.moduleLoadList.join('\\n')));`;
  writeFileSync(file, tell);
  const loadsSqlite = async (command, variables) => {
    const env = { ...variables, NODE_OPTIONS: `--require=${JSON.stringify(file)}` };
    const { stderr } = await (await startListening([command], { env })).stop('SIGTERM');
    assert.match(stderr, /^NativeModule net$/m);
    return /^NativeModule sqlite$/m.test(stderr);
  };
  assert.equal(await loadsSqlite(executable, {}), false);
  assert.equal(await loadsSqlite(push, pushVariables(folder, 'loads')), true);
}

async function servePush([push, relay], folder) {
  await serve([push], { env: pushVariables(folder, 'separate') });
  const daemon = await startListening([relay], { env: pushVariables(folder, 'combined') });
  try {
    const answer = await fetch(`http://127.0.0.1:${daemon.port}/v1/push/send`, {
      method: 'POST',
      body: '{}',
    });
    assert.deepEqual([answer.status, await answer.json()], [400, { error: 'invalid_request' }]);
  } finally {
    assert.equal((await daemon.stop('SIGTERM')).code, 0);
  }
}

/** What push needs, with a database and a key made for the occasion. */
function pushVariables(folder, name) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    [`${PUSH}APNS_KEY_ID`]: 'ABC123DEFG',
    [`${PUSH}APNS_TEAM_ID`]: 'DEF123GHIJ',
    [`${PUSH}APNS_P8`]: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    [`${PUSH}APNS_BUNDLE_ID`]: 'org.example.app',
    [`${PUSH}DATABASE_PATH`]: join(folder, `${name}.sqlite`),
  };
}

/** On a terminal the log is for people, which takes a part of the executable that is loaded only then. */
async function checkTerminal(tally, executable) {
  const name = 'on a terminal its log is for people';
  // util-linux; other systems have a `script` with other arguments.
  if (process.platform !== 'linux' || !existsSync('/usr/bin/script')) {
    return tally.skip(name, 'it takes the script of util-linux to make a terminal');
  }
  await tally.test(name, async () => {
    const { port, close } = await takePort();
    const command = `'${executable}' --port ${port}`;
    const env = { OPENCHAMBER_RELAY_SERVER_PROT: '1', TERM: 'dumb', SHELL: '/bin/sh' };
    const { code, stdout } = await runToEnd(['/usr/bin/script', '-qec', command, '/dev/null'], { env });
    close();
    assert.equal(code, 1);
    assert.match(stdout, /^\[\d\d:\d\d:\d\d[.]\d{3}\] .*WARN.*: Unknown environment variable/m);
    assert.match(stdout, /EADDRINUSE/);
  });
}
