// Decides what a pushed tag releases, and stops when the tag and the packages do not name the same version.
//   GITHUB_REF_TYPE=tag GITHUB_REF_NAME=v1.2.3 node scripts/release/plan.mjs
// Outputs: scope (all, relay), version, prerelease, latest.
import { root } from '../run/workspace.mjs';
import { releaseNotes } from './changelog.mjs';
import { mustRun, required, runStep, writeOutputs } from './step.mjs';
import { isLatest, planRelease } from './tag.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  const plan = planRelease({
    refType: required('GITHUB_REF_TYPE'),
    refName: required('GITHUB_REF_NAME'),
    version: workspaceVersion(),
  });
  // Found missing now, not after the image is out.
  releaseNotes(plan.version);
  const tags = mustRun('git', ['tag', '--list'], { cwd: root }).split('\n');
  writeOutputs({ ...plan, latest: isLatest(plan.version, tags) });
});
