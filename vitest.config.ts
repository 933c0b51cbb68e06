import { defineConfig } from 'vitest/config';

const conditions = ['@openchambery/source'];

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['packages/*/test/**/*.test.ts', 'apps/*/test/unit/**/*.test.ts'] },
      },
      {
        extends: true,
        // Runs the installed command; needs the bundle.
        test: {
          name: 'e2e',
          include: ['apps/*/test/e2e/**/*.test.ts'],
          fileParallelism: true,
          // One of the files does nothing but wait.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        // The files of deploy/ in the real nginx, Caddy and HAProxy; needs the bundle.
        test: { name: 'proxies', include: ['apps/*/test/proxies/**/*.test.ts'], maxWorkers: 3 },
      },
    ],
  },
});
