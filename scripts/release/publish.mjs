// Publishes the tested tarballs to npm, in order and with provenance. Run again, it finds its own tarballs there, is
// content with them, and goes on where it stopped.
//   PACK_FOLDER=… PACKAGES=[…] PRERELEASE=true|false LATEST=true|false node scripts/release/publish.mjs
// Authentication is npm's own: a trusted publisher of each package, or NODE_AUTH_TOKEN.
import { distTag, judgePublished } from './npm.mjs';
import { npmEnvironment } from './npm-login.mjs';
import { flag, mustRun, required, runStep, runTool } from './step.mjs';
import { findTarballs } from './tarballs.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  const tarballs = findTarballs({ folder: required('PACK_FOLDER'), packages: required('PACKAGES') });
  const tag = distTag({ prerelease: flag('PRERELEASE'), latest: flag('LATEST') });
  const version = workspaceVersion();
  // All are asked about before the first is published: a version that is taken must not leave half a release behind.
  const judged = tarballs.map(({ name, file, integrity }) => {
    const release = `${name}@${version}`;
    const view = runTool('npm', ['view', release, 'dist.integrity', '--json']);
    return { release, file, state: judgePublished(view, { release, integrity }) };
  });
  const env = judged.some(({ state }) => state === 'new') ? npmEnvironment() : process.env;
  for (const { release, file, state } of judged) {
    if (state === 'published') {
      process.stdout.write(`${release} is on npm already, and is this tarball.\n`);
      continue;
    }
    const args = ['publish', file, '--access', 'public', '--provenance', '--tag', tag];
    process.stdout.write(mustRun('npm', args, { env }));
  }
});
