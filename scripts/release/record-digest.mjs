// Keeps the digest of one architecture's build in a file, for the job that makes one image of all of them.
//   ARCHITECTURE=amd64 DIGEST=sha256:… DIGEST_FOLDER=/tmp/digests node scripts/release/record-digest.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkArchitecture, checkDigest } from './image.mjs';
import { required, runStep } from './step.mjs';

await runStep(() => {
  const folder = required('DIGEST_FOLDER');
  const architecture = checkArchitecture(required('ARCHITECTURE'));
  const digest = checkDigest(required('DIGEST'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, architecture), `${digest}\n`);
  process.stdout.write(`${architecture}: ${digest}\n`);
});
