// Bundles the command for publishing: our own packages inlined, packages from npm left to npm.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));

await build({
  absWorkingDir: here,
  entryPoints: ['src/openchamber-tunnel.ts'],
  outdir: join(here, 'dist'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  conditions: ['@openchambery/source'],
  external: Object.keys(manifest.dependencies),
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  legalComments: 'none',
  logLevel: 'warning',
});
