// Makes the release on GitHub: notes from the change log, and what to pin. Run again, it brings the notes up to date.
//   GITHUB_REF_NAME=v1.2.3 PRERELEASE=… LATEST=… IMAGE_REFERENCE=name:version@digest PACK_FOLDER=… PACKAGES=[…] \
//     GH_TOKEN=… node scripts/release/github-release.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../run/workspace.mjs';
import { releaseNotes } from './changelog.mjs';
import { releaseCommands, releaseText } from './github.mjs';
import { flag, mustRun, required, runStep, runTool } from './step.mjs';
import { planRelease } from './tag.mjs';
import { findTarballs } from './tarballs.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  const tag = required('GITHUB_REF_NAME');
  const tarballs = findTarballs({ folder: required('PACK_FOLDER'), packages: required('PACKAGES') });
  const { scope, version } = planRelease({ refType: 'tag', refName: tag, version: workspaceVersion() });
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-release-'));
  try {
    const notesFile = join(folder, 'notes.md');
    const text = releaseText({
      notes: releaseNotes(version),
      image: required('IMAGE_REFERENCE'),
      packages: tarballs.map(({ name, integrity }) => ({ release: `${name}@${version}`, integrity })),
    });
    writeFileSync(notesFile, text);
    const commands = releaseCommands({
      tag,
      title: scope === 'relay' ? `Relay ${version}` : version,
      notesFile,
      tarballs: tarballs.map(({ file }) => file),
      prerelease: flag('PRERELEASE'),
      latest: flag('LATEST') && scope === 'all',
      exists: runTool('gh', ['release', 'view', tag], { cwd: root }).code === 0,
    });
    for (const args of commands) {
      process.stdout.write(mustRun('gh', args, { cwd: root }));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
