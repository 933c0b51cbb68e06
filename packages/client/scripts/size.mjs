// What a page loads that uses this package: bundles it for browsers, prints the sizes, and fails when it has grown over
// the budget or brings along what a browser has no use for.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes after gzip. A tenth above what it takes; raise it only for something that is worth the wait on a slow phone. */
const MAX_GZIP_BYTES = 24_576;

const folder = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Only for Node: a browser build that has any of it was bundled wrongly. */
const FOREIGN = /node_modules\/ws\/|\/(?:src|dist)\/node\/|transport\/node\.[jt]s$/;

const { outputFiles, metafile } = await build({
  stdin: {
    contents:
      "import { createRelayClient } from '@openchambery/client'; globalThis.create = createRelayClient;",
    resolveDir: folder,
  },
  absWorkingDir: folder,
  alias: { '@openchambery/client': join(folder, 'src', 'index.ts') },
  conditions: ['@openchambery/source'],
  bundle: true,
  minify: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  write: false,
  metafile: true,
});

const foreign = Object.keys(metafile.inputs).filter((path) => FOREIGN.test(path));
const bytes = outputFiles[0].contents;
const gzipBytes = gzipSync(bytes, { level: 9 }).length;
const sizes = { minified: bytes.length, gzip: gzipBytes, brotli: brotliCompressSync(bytes).length };
const words = Object.entries(sizes).map(([name, size]) => `${name} ${(size / 1024).toFixed(1)} KiB`);
console.log(`@openchambery/client in a browser: ${words.join(', ')}`);

if (foreign.length > 0) {
  console.error(`Not for a browser: ${foreign.join(', ')}`);
  process.exitCode = 1;
}
if (gzipBytes > MAX_GZIP_BYTES) {
  console.error(`After gzip it is ${gzipBytes - MAX_GZIP_BYTES} bytes over its budget of ${MAX_GZIP_BYTES}.`);
  process.exitCode = 1;
}
if (process.argv.includes('--inputs')) {
  const inputs = Object.entries(Object.values(metafile.outputs)[0].inputs).sort(
    ([, a], [, b]) => b.bytesInOutput - a.bytesInOutput,
  );
  for (const [path, { bytesInOutput }] of inputs) console.log(`${String(bytesInOutput).padStart(7)} ${path}`);
}
