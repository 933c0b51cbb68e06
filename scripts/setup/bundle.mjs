// Bundles the commands when their sources have changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run/command.mjs';
import { appFolder, tool, tunnelFolder } from '../run/workspace.mjs';
import { fingerprintBundle } from './fingerprint.mjs';
import { SetupError } from './setup-error.mjs';

const stampFile = join(appFolder, 'dist', '.bundle-stamp');

/** Bundles apps/relay-server and apps/tunnel unless the stamp fits sources and bundles. */
export async function bundleCommands(say) {
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').trim() : '';
  if (stamp === fingerprintBundle()) {
    return;
  }
  say('Bundling openchamber-relay, openchamber-push-relay and openchamber-tunnel …');
  for (const folder of [appFolder, tunnelFolder]) {
    const { code, output } = await run(tool('node'), [join(folder, 'bundle.mjs')]);
    if (code !== 0) {
      process.stderr.write(output);
      throw new SetupError('the commands could not be bundled; what went wrong is above.');
    }
  }
  writeFileSync(stampFile, `${fingerprintBundle()}\n`);
}
