// The Client as a page loads it.
import { build } from 'esbuild';
import { ReleaseFault } from '../release-fault.mjs';

const CLIENT = '@openchambery/client';

/** Bundles the installed Client for browsers: nothing of Node.js may be in it. */
export async function bundleForBrowsers({ folder, packages }) {
  if (!packages.some(({ name }) => name === CLIENT)) return;
  try {
    const { metafile } = await build({
      stdin: { contents: `export { createRelayClient } from '${CLIENT}';`, resolveDir: folder },
      absWorkingDir: folder,
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const foreign = Object.keys(metafile.inputs).filter((path) => /node_modules\/ws\/|\/node\//.test(path));
    if (foreign.length > 0) throw new ReleaseFault(`${CLIENT} brings to browsers: ${foreign.join(', ')}`);
  } catch (error) {
    if (error instanceof ReleaseFault) throw error;
    throw new ReleaseFault(`${CLIENT} cannot be bundled for browsers: ${error.message}`);
  }
}
