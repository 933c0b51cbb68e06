// Bundles the command for publishing: our own packages inlined, packages from npm left to npm.
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
const outdir = join(here, 'dist');

// Chunk names carry a hash; old ones would pile up in the tarball. dist/types belongs to tsc.
await Promise.all([
  rm(join(outdir, 'openchamber-relay.js'), { force: true }),
  rm(join(outdir, 'chunks'), { recursive: true, force: true }),
]);
await build({
  absWorkingDir: here,
  entryPoints: ['src/openchamber-relay.ts'],
  outdir,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@openchambery/source'],
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)],
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  legalComments: 'none',
  logLevel: 'warning',
});
