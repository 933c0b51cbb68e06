// Checks .github/workflows, which cannot be run here: actionlint, and rules of our own.
//   node scripts/test/deploy/check-workflows.mjs
import { root } from '../../run/workspace.mjs';
import { examineWorkflows } from './workflows.examine.mjs';
import { readWorkflowTexts } from './workflows.read.mjs';

const { checked, faults } = await examineWorkflows(readWorkflowTexts(root), { root });
for (const line of checked) {
  process.stdout.write(`${line}\n`);
}
for (const fault of faults) {
  process.stdout.write(`FAILED ${fault}\n`);
}
process.stdout.write(
  faults.length === 0 ? 'The workflows are fine.\n' : `${faults.length} faults in the workflows.\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
