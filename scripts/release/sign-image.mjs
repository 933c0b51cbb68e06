// Signs an image with the identity of this workflow (Sigstore, keyless): whoever pulls it can check who built it.
//   IMAGE=… DIGEST=sha256:… node scripts/release/sign-image.mjs
import { checkDigest } from './image.mjs';
import { mustRun, required, runStep } from './step.mjs';

await runStep(() => {
  const reference = `${required('IMAGE')}@${checkDigest(required('DIGEST'))}`;
  process.stdout.write(mustRun('cosign', ['sign', '--yes', '--recursive', reference]));
});
