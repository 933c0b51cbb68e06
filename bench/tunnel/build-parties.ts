import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Below this package, so that its dependencies are found from there. */
const folder = fileURLToPath(new URL('../results/tunnel-parties/', import.meta.url));

/**
 * Makes JavaScript of all programs: what Node needs to run TypeScript doubles its heap, and with it the cost of every
 * collection, which no user has. @param usesSources whether Host and Client are taken from their sources
 * @returns the folder they are in
 */
export async function buildParties({ usesSources }: { readonly usesSources: boolean }): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: here,
    entryPoints: ['clients/*.ts', 'parties/*.ts'],
    outdir: folder,
    outbase: here,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'warning',
    ...(usesSources
      ? { conditions: ['@openchambery/source'], external: ['ws'] }
      : { packages: 'external' as const }),
  });
  return folder;
}
