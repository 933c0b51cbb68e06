// `npm run version`: turns the pending changesets into the next version of all packages and one entry in CHANGELOG.md.
// The change logs that changesets writes into each package are left for the action that opens the pull request, which
// reads them; they are not committed, since all packages have one version and so one story.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from '../run/command.mjs';
import { root, tool } from '../run/workspace.mjs';
import { addVersion, changelogFile, formatChanges } from './changelog.mjs';
import { ReleaseFault } from './release-fault.mjs';
import { mustRun, runStep } from './step.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  // Before anything changes: packages that already differ would be bumped from different versions.
  const before = workspaceVersion();
  const changes = pendingChanges();
  if (changes.length === 0) {
    throw new ReleaseFault('There is no pending changeset; `npm run changeset` makes one.');
  }
  changeset('version');
  const after = workspaceVersion();
  if (after === before) {
    throw new ReleaseFault(`The pending changesets leave the version at ${before}.`);
  }
  const changelog = readFileSync(changelogFile, 'utf8');
  writeFileSync(changelogFile, addVersion(after, formatChanges(changes), changelog));
  process.stdout.write(`${before} -> ${after}, ${changes.length} changes\n`);
});

function changeset(...args) {
  mustRun(tool('changeset'), args, { cwd: root, env: toolEnvironment() });
}

/** What the pending changesets say: `[{ summary, kind }]`, each with the weightiest kind it names. */
function pendingChanges() {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-version-'));
  try {
    const file = join(folder, 'plan.json');
    changeset('status', '--output', file);
    const { changesets } = JSON.parse(readFileSync(file, 'utf8'));
    return changesets.map(({ summary, releases }) => ({ summary, kind: weightiest(releases) }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function weightiest(releases) {
  return ['major', 'minor', 'patch'].find((kind) => releases.some(({ type }) => type === kind));
}
