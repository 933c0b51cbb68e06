// Puts our scripts into a copy of Node.js (single executable applications, https://nodejs.org/api/single-executable-applications.html).
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'postject';
import { run } from '../run/command.mjs';
import { tool } from '../run/workspace.mjs';
import { bundleScripts } from './scripts.mjs';

/** Node looks for this text in itself; the digit that postject changes behind it says that there is a script. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Builds the executable at `out`, which is there whole or not at all. */
export async function buildExecutable(out) {
  mkdirSync(dirname(out), { recursive: true });
  // On the same file system, so that it can be moved into place, even over one that runs.
  const folder = mkdtempSync(join(dirname(out), '.build-'));
  try {
    const blob = await makeBlob(folder, await bundleScripts(folder));
    const executable = join(folder, 'executable');
    copyFileSync(await nodeFile(), executable);
    // Node's own file may be one that nobody may write to.
    chmodSync(executable, 0o755);
    await putInto(executable, blob);
    renameSync(executable, out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What Node finds in itself: the main script, compiled already, and the worker's as an asset. */
async function makeBlob(folder, { main, pushWorker }) {
  const config = join(folder, 'sea.json');
  const output = join(folder, 'sea.blob');
  const options = {
    main,
    output,
    assets: { 'push-worker.js': pushWorker },
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
  };
  writeFileSync(config, JSON.stringify(options));
  await expectSuccess(tool('node'), ['--experimental-sea-config', config]);
  return readFileSync(output);
}

/** The workspace's Node itself, whatever links lead to it. */
async function nodeFile() {
  const output = await expectSuccess(tool('node'), ['--print', 'process.execPath']);
  return output.trim();
}

async function putInto(executable, blob) {
  // macOS starts nothing whose signature does not fit; one without an identity is enough where it is built.
  const isMac = process.platform === 'darwin';
  if (isMac) await expectSuccess('codesign', ['--remove-signature', executable]);
  await inject(executable, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, machoSegmentName: 'NODE_SEA' });
  if (isMac) await expectSuccess('codesign', ['--sign', '-', executable]);
}

async function expectSuccess(command, args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
  return output;
}
