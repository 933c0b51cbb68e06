// Bundles the commands for publishing: our own packages inlined, packages from npm left to npm.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
const outdir = join(here, 'dist');

// The worker is started by the relay in combined mode.
const entryPoints = ['openchamber-relay', 'openchamber-push-relay', 'push-worker'];

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: entryPoints.map((name) => `src/${name}.ts`),
  outdir,
  bundle: true,
  splitting: true,
  metafile: true,
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
// Chunk names carry a hash; old ones would pile up in the tarball. They go last, so that the commands always work.
const chunks = join(outdir, 'chunks');
const stale = (await readdir(chunks)).filter((name) => !(`dist/chunks/${name}` in metafile.outputs));
await Promise.all(stale.map((name) => rm(join(chunks, name), { force: true })));
// Not published: by it a test sees what a relay without push loads.
await writeFile(join(outdir, 'bundle-graph.json'), JSON.stringify(metafile));
