// Every check of the deployment, in the order they run: a name, and `run` resolving to `{ passed, failed, skipped? }`.
// What a machine lacks is installed by the check itself in CI (as root, CI=true), or else skipped with the reason.
import { checkBinary } from './binary.mjs';
import { checkCompose } from './compose.mjs';
import { checkDocs } from './docs.mjs';
import { checkImage } from './image.mjs';
import { checkProxies } from './proxies.mjs';
import { checkSystemd } from './systemd.mjs';
import { checkWorkflows } from './workflows.mjs';

export const checks = [
  { name: 'workflows', run: checkWorkflows },
  { name: 'compose', run: checkCompose },
  { name: 'image', run: checkImage },
  { name: 'proxies', run: checkProxies },
  { name: 'systemd', run: checkSystemd },
  { name: 'binary', run: checkBinary },
  { name: 'docs', run: checkDocs },
];
