import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compressed, usedStyles } from './served';

const source = resolve(import.meta.dirname, 'src');
/** The tests that put something else in the place of a module or of what a page has. */
const replacing = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.tsx'))
  .filter((name) =>
    /vi\.mock\(|stubGlobal\(|defineProperty\(/.test(readFileSync(resolve(source, name), 'utf8')),
  )
  .map((name) => `src/${name}`);
const components = { environment: 'jsdom', setupFiles: ['src/test/setup.ts'] };

// The gateway serves the page with a strict Content-Security-Policy: nothing
// inline, nothing from elsewhere. The build has to keep to it.
export default defineConfig({
  plugins: [react(), usedStyles(), compressed()],
  resolve: { alias: { lineclear: resolve(import.meta.dirname, '../sdk/typescript/src/index.ts') } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    // What every page needs is one script and one style sheet: a browser fetches six files at a time, and
    // each further round costs a slow connection half a second. Styles that others add to stand first.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] } },
    },
  },
  // Most of the time of a component's test goes into the page around it; what has no page is tested without.
  test: {
    restoreMocks: true,
    testTimeout: 60_000, // only a test that hangs runs into it, not one on a busy machine
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { ...components, name: 'replacing', include: replacing } },
      {
        extends: true,
        test: {
          ...components,
          name: 'components',
          isolate: false, // one page and one reading of the source for all files; make test-long has each by itself
          include: ['src/**/*.test.tsx'],
          exclude: replacing,
        },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          environment: 'node',
          include: ['src/**/*.test.ts'],
          setupFiles: ['src/test/timers.ts'],
        },
      },
    ],
  },
});
