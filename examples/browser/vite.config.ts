import { defineConfig } from 'vite';

/** The page, straight from the sources of the workspace. */
export default defineConfig({
  // Relative, so that the built page can lie in any folder of any web server.
  base: './',
  resolve: { conditions: ['@openchambery/source', 'module', 'browser', 'development|production'] },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022' },
  server: { port: 4173, strictPort: true },
});
