// Installs the tarball with plain npm into an empty folder, and puts the installed commands to work.
//   TARBALL=/tmp/package/….tgz node scripts/release/check-tarball.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runDemo } from '../demo/run-demo.mjs';
import { outsidePath } from '../run/command.mjs';
import { ReleaseFault } from './release-fault.mjs';
import { mustRun, required, runStep } from './step.mjs';
import { workspaceVersion } from './version.mjs';

const MEBIBYTE = 1024 * 1024;
// npm and Node as a user has them, not those of the checkout.
const env = { ...process.env, PATH: outsidePath() };

await runStep(async () => {
  const tarball = resolve(required('TARBALL'));
  const version = workspaceVersion();
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-tarball-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    const options = { cwd: folder, env };
    mustRun('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], options);
    const command = (name) => join(folder, 'node_modules', '.bin', name);
    for (const name of ['openchamber-relay', 'openchamber-push-relay']) {
      const said = mustRun(command(name), ['--version'], options).trim();
      if (said !== version) {
        throw new ReleaseFault(`${name} --version says ${JSON.stringify(said)}, not ${version}.`);
      }
    }
    if ((await runDemo({ command: command('openchamber-relay'), bytes: MEBIBYTE, env })) !== 0) {
      throw new ReleaseFault('The installed relay did not forward a file there and back.');
    }
    process.stdout.write(`${tarball}: ${version} installs, and forwards.\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
