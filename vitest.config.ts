import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/test/longest-first.ts';

const conditions = ['@openchambery/source'];

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Files share processes: to start one, and to load the sources in it, takes longer than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/unit/**/*.test.ts'],
          maxWorkers: availableParallelism(),
        },
      },
      {
        extends: true,
        // Runs the installed command; needs the bundle.
        test: {
          name: 'e2e',
          include: ['apps/*/test/e2e/**/*.test.ts'],
          // Most of the time most files wait for timers of the daemons.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        extends: true,
        // The files of deploy/ in the real nginx, Caddy and HAProxy; needs the bundle.
        test: { name: 'proxies', include: ['apps/*/test/proxies/**/*.test.ts'], maxWorkers: 3 },
      },
      {
        extends: true,
        // Real Chromium with the commands behind; needs the bundles.
        test: {
          name: 'browser',
          include: ['examples/browser/test/**/*.test.ts'],
          globalSetup: ['examples/browser/test/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
