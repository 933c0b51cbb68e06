// Publishes the tested tarball to npm, with provenance. Run again, it finds its own tarball there and is content.
//   TARBALL=….tgz INTEGRITY=sha512-… PRERELEASE=true|false LATEST=true|false node scripts/release/publish.mjs
// Authentication is npm's own: a trusted publisher, or NODE_AUTH_TOKEN.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { appFolder } from '../run/workspace.mjs';
import { integrityOf } from './integrity.mjs';
import { distTag, judgePublished } from './npm.mjs';
import { npmEnvironment } from './npm-login.mjs';
import { ReleaseFault } from './release-fault.mjs';
import { flag, mustRun, required, runStep, runTool } from './step.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  const tarball = resolve(required('TARBALL'));
  const integrity = integrityOf(tarball);
  if (integrity !== required('INTEGRITY')) {
    throw new ReleaseFault(`${tarball} is not the tarball that was tested.`);
  }
  const { name } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  const release = `${name}@${workspaceVersion()}`;
  const view = runTool('npm', ['view', release, 'dist.integrity', '--json']);
  if (judgePublished(view, { release, integrity }) === 'published') {
    process.stdout.write(`${release} is on npm already, and is this tarball.\n`);
    return;
  }
  const tag = distTag({ prerelease: flag('PRERELEASE'), latest: flag('LATEST') });
  const args = ['publish', tarball, '--access', 'public', '--provenance', '--tag', tag];
  process.stdout.write(mustRun('npm', args, { env: npmEnvironment() }));
});
