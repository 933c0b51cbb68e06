// Makes a checkout ready to run: dependencies, then the bundled commands. Silent when there is nothing to do.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder, tunnelFolder } from '../run/workspace.mjs';
import { bundleCommands } from './bundle.mjs';
import { installDependencies } from './install.mjs';
import { SetupError } from './setup-error.mjs';

const OLDEST_NODE = 20;

/** Sets the checkout up, or says why it cannot and ends the process with exit code 1. */
export async function setUp() {
  try {
    checkNode();
    restoreManifests();
    await installDependencies(say);
    await bundleCommands(say);
  } catch (error) {
    if (!(error instanceof SetupError)) {
      throw error;
    }
    process.stderr.write(`Set-up failed: ${error.message}\n`);
    process.exit(1);
  }
}

// On stderr: the output of `npm start -- --json` is not ours to write to.
function say(text) {
  process.stderr.write(`${text}\n`);
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    throw new SetupError(
      `Node ${OLDEST_NODE} or newer is needed to start with; this is Node ${process.versions.node}.`,
    );
  }
}

/** A packing that was interrupted leaves the manifest for npm in place of ours (publish-manifest.mjs). */
function restoreManifests() {
  for (const folder of [appFolder, tunnelFolder]) {
    const original = join(folder, 'dist', 'package.json.original');
    if (existsSync(original)) {
      renameSync(original, join(folder, 'package.json'));
    }
  }
}
