// Decides whether an image is published or only built, and what it is called.
//   MODE=publish|auto|build-only  DOCKERHUB_USERNAME=…  HAS_DOCKERHUB_TOKEN=true|false  [EXPECTED_VERSION=1.2.3]
// `publish` fails where Docker Hub is not set up, `auto` then only builds.
// Outputs: publish, image, version, latest.
import { root } from '../run/workspace.mjs';
import { planImage } from './image.mjs';
import { ReleaseFault } from './release-fault.mjs';
import { flag, mustRun, required, runStep, warn, writeOutputs } from './step.mjs';
import { isLatest } from './tag.mjs';
import { workspaceVersion } from './version.mjs';

await runStep(() => {
  const version = workspaceVersion();
  const expected = process.env.EXPECTED_VERSION ?? '';
  if (expected !== '' && expected !== version) {
    throw new ReleaseFault(`Version ${expected} is asked for, but the packages have ${version}.`);
  }
  const { remark, ...plan } = planImage({
    mode: required('MODE'),
    username: process.env.DOCKERHUB_USERNAME ?? '',
    hasToken: flag('HAS_DOCKERHUB_TOKEN'),
  });
  if (remark) {
    warn(remark);
  }
  const tags = mustRun('git', ['tag', '--list'], { cwd: root }).split('\n');
  writeOutputs({ ...plan, version, latest: isLatest(version, tags) });
});
