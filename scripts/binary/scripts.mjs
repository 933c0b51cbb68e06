// Our code, and all it needs from npm, as the two scripts that go into the executable.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { appFolder } from '../run/workspace.mjs';

/** The two scripts by the names of their entry points; both are CommonJS, the one kind that Node takes for its main. */
export async function bundleScripts(outdir) {
  const { version } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: appFolder,
    entryPoints: ['src/single-file.ts', 'src/push-worker.ts'],
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    conditions: ['@openchambery/source'],
    // There is no file that code could look for others beside.
    define: { PACKAGE_VERSION: JSON.stringify(version), 'import.meta.url': '""' },
    plugins: [requireOnlyBuiltins],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return { main: join(outdir, 'single-file.cjs'), pushWorker: join(outdir, 'push-worker.cjs') };
}

const BUILTINS_ONLY = `
export function createRequire() {
  return (name) => {
    const found = process.getBuiltinModule(name);
    if (found === undefined) throw new Error(name + ' is not part of this executable');
    return found;
  };
}`;

/**
 * What code requires at run time comes out of the executable or not at all: node_modules folders that happen to lie
 * around it, or where it is started, are nobody's business. So the native bufferutil is never found.
 */
const requireOnlyBuiltins = {
  name: 'require-only-builtins',
  setup({ onResolve, onLoad }) {
    const namespace = 'builtins-only';
    onResolve({ filter: /^node:module$/ }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /./, namespace }, () => ({ contents: BUILTINS_ONLY }));
  },
};
