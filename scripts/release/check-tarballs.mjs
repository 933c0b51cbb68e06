// Installs the tarballs with plain npm into an empty folder, and puts them to work.
//   PACK_FOLDER=/tmp/packages PACKAGES=[…] node scripts/release/check-tarballs.mjs
import { required, runStep } from './step.mjs';
import { findTarballs } from './tarballs.mjs';
import { tryOut } from './try-out/try-out.mjs';

await runStep(() =>
  tryOut(findTarballs({ folder: required('PACK_FOLDER'), packages: required('PACKAGES') })),
);
