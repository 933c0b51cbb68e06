// Makes one image for all architectures of those that were pushed by digest, and gives it its tags.
//   IMAGE=… VERSION=1.2.3 LATEST=true|false DIGEST_FOLDER=/tmp/digests node scripts/release/merge-image.mjs
// Outputs: digest, reference (name:version@digest, what operators pin).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDigest, mergeArguments } from './image.mjs';
import { flag, mustRun, required, runStep, writeOutputs } from './step.mjs';

await runStep(() => {
  const image = required('IMAGE');
  const version = required('VERSION');
  const args = mergeArguments({
    image,
    version,
    latest: flag('LATEST'),
    digests: readDigests(required('DIGEST_FOLDER')),
  });
  mustRun('docker', args);
  const tagged = `${image}:${version}`;
  const inspect = ['buildx', 'imagetools', 'inspect', tagged, '--format', '{{json .Manifest}}'];
  const digest = checkDigest(JSON.parse(mustRun('docker', inspect)).digest);
  writeOutputs({ digest, reference: `${tagged}@${digest}` });
});

function readDigests(folder) {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').trim()]),
  );
}
