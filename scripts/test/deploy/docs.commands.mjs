// Runs the commands of a page as its reader would, from top to bottom, in a folder that looks like the checkout.
//
//   <!-- not run: needs a real domain -->      why a block is left out
//   <!-- stays: Relay listening at -->         it runs on until the end of the page; ready once it prints that
//   <!-- prints: "ok":true -->                 it ends, and prints that
//   <!-- fails: already in use -->             it ends with another exit code than 0, and prints that
//   <!-- first: Ctrl-C -->                     before it, the block that stays and came last is stopped
//   <!-- first: Ctrl-C everywhere -->          before it, all that stay are
//   <!-- needs: sqlite3 curl -->               left out, loudly, where one of these commands is missing
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outsidePath } from '../../run/command.mjs';
import { freePort } from '../../run/free-port.mjs';

/** How long a block may take, to end or to be ready, and how long one that stays may take to stop, in ms. */
const TIMES = { block: 60_000, stop: 15_000 };
const POLL_MS = 25;
/** Where the example is found by default: the program, and the page. */
const ORIGIN_PORT = '3000';
const PAGE_PORT = '4173';
/** Of the checkout, what a page makes anew. */
const MADE_HERE = new Set(['.git', 'data', 'dist']);

/** Variables and folder go from block to block, as in one terminal; not those that bash does not let anybody set. */
const PROLOGUE = `set -e
if [ -f "$DOCS_STATE/variables" ]; then . "$DOCS_STATE/variables"; cd "$(cat "$DOCS_STATE/folder")"; fi
keep() {
  for name in $(compgen -v); do
    case $name in
      BASH* | DIRSTACK | EUID | FUNCNAME | GROUPS | PIPESTATUS | PPID | SHELLOPTS | UID | _ | name) ;;
      *) declare -p "$name" ;;
    esac
  done
}
trap 'status=$?; keep > "$DOCS_STATE/variables"; pwd > "$DOCS_STATE/folder"; exit $status' EXIT
`;

/** Results of all `sh` blocks of a page: `{ name, outcome: 'passed' | 'failed' | 'skipped', detail }`. */
export async function runPage(page, root, times = TIMES) {
  const blocks = page.fences.filter(({ language }) => language === 'sh');
  if (blocks.every(({ directives }) => directives.has('not run'))) return [];
  const place = await makePlace(root);
  const staying = [];
  const results = [];
  const report = (block, outcome, detail) =>
    results.push({ name: `${page.path}:${block.line}`, outcome, detail });
  try {
    for (const block of blocks.filter(({ directives }) => !directives.has('not run'))) {
      const count = countToStop(block, staying);
      if (count > 0) await stopAll(staying.splice(-count), { times, report });
      const missing = await findMissing(block.directives.get('needs'), place);
      if (missing !== undefined) report(block, 'skipped', `there is no ${missing} here`);
      else report(block, ...(await runBlock(block, { place, staying, times })));
      if (results.at(-1).outcome === 'failed') break;
    }
  } finally {
    await stopAll(staying, { times, report });
    rmSync(place.folder, { recursive: true, force: true });
  }
  return results;
}

function countToStop({ directives }, staying) {
  if (!directives.has('first')) return 0;
  return directives.get('first').includes('everywhere') ? staying.length : 1;
}

/** Ends what stays; it must not have ended by itself, and has to go when it is asked to. */
async function stopAll(staying, { times, report }) {
  for (const { block, job } of staying) {
    const endedWith = job.code;
    const isStopped = await stop(job, times.stop);
    if (endedWith !== undefined) report(block, 'failed', `it ended with ${endedWith}\n${job.output}`);
    else if (!isStopped) report(block, 'failed', `it did not stop\n${job.output}`);
  }
}

async function runBlock(block, { place, staying, times }) {
  const job = start(place.localize(block.text), place);
  const stays = block.directives.get('stays');
  const expected = stays ?? block.directives.get('prints') ?? block.directives.get('fails');
  const says = () => expected === undefined || job.output.includes(place.localize(expected));
  const isReady = () => (stays === undefined ? job.code !== undefined : says());
  const isInTime = await waitUntil(() => isReady() || job.code !== undefined, times.block);
  if (stays !== undefined && job.code === undefined) staying.push({ block, job });
  else await stop(job, times.stop);
  const fault = findFault({ block, job, isInTime, says: says() });
  return fault === undefined ? ['passed', ''] : ['failed', `${fault}\n${job.output}`];
}

function findFault({ block, job, isInTime, says }) {
  if (!isInTime) return 'it took too long';
  if (!says) return 'it did not print what the page promises';
  if (block.directives.has('stays')) return job.code === undefined ? undefined : `it ended with ${job.code}`;
  const isFailure = job.code !== 0;
  return isFailure === block.directives.has('fails') ? undefined : `it ended with ${job.code}`;
}

/** A block, in a process group of its own. */
function start(text, { env, cwd }) {
  const child = spawn('bash', ['-c', `${PROLOGUE}\n${text}\n`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid === undefined) throw new Error('bash cannot be started');
  const job = { group: -child.pid, output: '', code: undefined };
  const take = (chunk) => {
    job.output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  // Not 'close': what a block leaves behind may hold its output open.
  child.on('exit', (code, signal) => {
    setTimeout(() => {
      job.code = code ?? signal;
    }, POLL_MS);
  });
  return job;
}

/** Ends a whole group; whether it went when it was asked to. */
async function stop({ group }, timeMs) {
  signal(group, 'SIGTERM');
  if (await waitUntil(() => !isAlive(group), timeMs)) return true;
  signal(group, 'SIGKILL');
  return false;
}

function isAlive(group) {
  return signal(group, 0);
}

function signal(group, name) {
  try {
    return process.kill(group, name);
  } catch {
    // ESRCH: nobody is left.
    return false;
  }
}

async function waitUntil(condition, timeMs) {
  const deadline = performance.now() + timeMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}

/** A folder with everything of the checkout in it by link, so that what is made there stays there. */
async function makePlace(root) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-docs-'));
  const [cwd, home, state] = ['checkout', 'home', 'state'].map((name) => join(folder, name));
  for (const each of [cwd, home, state]) mkdirSync(each);
  for (const entry of readdirSync(root).filter((name) => !MADE_HERE.has(name))) {
    symlinkSync(join(root, entry), join(cwd, entry));
  }
  const ports = await takePorts();
  const env = {
    PATH: outsidePath(),
    HOME: home,
    XDG_RUNTIME_DIR: state,
    LANG: 'C.UTF-8',
    NO_UPDATE_NOTIFIER: '1',
    DOCS_STATE: state,
    OPENCHAMBER_RELAY_SERVER_PORT: ports.get('8787'),
    OPENCHAMBER_PUSH_RELAY_PORT: ports.get('8788'),
  };
  writeFileSync(join(home, '.npmrc'), 'fund=false\naudit=false\n');
  return { folder, cwd, env, localize: (text) => localize(text, ports) };
}

/** What pages call these ports, and what stands for them here. */
async function takePorts() {
  const names = ['8787', '8788', ORIGIN_PORT, PAGE_PORT, '8080'];
  return new Map(await Promise.all(names.map(async (name) => [name, String(await freePort())])));
}

/** Ports that are taken on a machine where somebody works must not make a page fail. */
function localize(text, ports) {
  const flags = `-- --origin-port ${ORIGIN_PORT} --page-port ${PAGE_PORT}`;
  return text
    .replaceAll(/npm run example:browser$/gm, `npm run example:browser ${flags}`)
    .replaceAll(/\b\d{4}\b/g, (number) => ports.get(number) ?? number);
}

async function findMissing(needs, place) {
  for (const name of needs?.split(' ') ?? []) {
    const job = start(`command -v ${name}`, place);
    await waitUntil(() => job.code !== undefined, TIMES.block);
    if (job.code !== 0) return name;
  }
  return undefined;
}
