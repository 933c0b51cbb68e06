// Bundles the command when its sources have changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run/command.mjs';
import { appFolder, tool } from '../run/workspace.mjs';
import { fingerprintBundle } from './fingerprint.mjs';
import { SetupError } from './setup-error.mjs';

const stampFile = join(appFolder, 'dist', '.bundle-stamp');

/** Bundles apps/relay-server unless the stamp fits sources and bundle. */
export async function bundleCommand(say) {
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').trim() : '';
  if (stamp === fingerprintBundle()) {
    return;
  }
  say('Bundling openchamber-relay …');
  const { code, output } = await run(tool('node'), [join(appFolder, 'bundle.mjs')]);
  if (code !== 0) {
    process.stderr.write(output);
    throw new SetupError('openchamber-relay could not be bundled; what went wrong is above.');
  }
  writeFileSync(stampFile, `${fingerprintBundle()}\n`);
}
