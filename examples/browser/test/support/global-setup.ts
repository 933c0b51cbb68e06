import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../../../scripts/test/browser/chromium.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of all test files listens. */
    readonly browserEndpoint: string;
    /** The page of the example, built. */
    readonly pageFolder: string;
    /** The page that gives tests the Client, built. */
    readonly harnessFolder: string;
  }
}

/** The folder of the example. */
const example = fileURLToPath(new URL('../../', import.meta.url));

/** Builds both pages and starts the browser, once for all test files. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('These tests need Chromium: install it, or name its executable in CHROMIUM_PATH');
  }
  const folder = await mkdtemp(join(tmpdir(), 'openchamber-browser-'));
  const pageFolder = join(folder, 'page');
  const harnessFolder = join(folder, 'harness');
  const [browser] = await Promise.all([
    chromium.launchServer({ executablePath }),
    buildPage(example, pageFolder),
    buildPage(join(example, 'test', 'in-page'), harnessFolder),
  ]);
  provide('browserEndpoint', browser.wsEndpoint());
  provide('pageFolder', pageFolder);
  provide('harnessFolder', harnessFolder);
  return async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  };
}

async function buildPage(root: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: join(example, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
}
