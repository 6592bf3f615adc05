import path from 'node:path';
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { finish } from './finish.ts';
import { words } from './words/plugin.ts';

// The service that `npm run dev` proxies API requests to.
const api = process.env.ROSHAMBO_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte({ preprocess: [words(), vitePreprocess()] }), finish()],
  build: {
    target: 'es2022',
    // No inlined assets: the Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    // One style sheet for all pages: it is small, and no page waits for a second one.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file for the first load, one for what the Play page shows below its table on a first visit (TV, cups,
          // news) and other pages too, one for the other parts that several pages share, and one for each page.
          groups: [
            { name: 'first', tags: ['$initial'], priority: 3 },
            {
              name: 'alive',
              test: /[\\/]src[\\/](cup|duel|explorer[\\/]runs|rankings[\\/](feed|Moment)|tv)/,
              minShareCount: 2,
              priority: 2,
            },
            { name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': api, '/log': api, '/verify/': api, '/embed/': api },
    // The verifier is outside web/, beside the other two verifiers.
    fs: { allow: ['..'] },
  },
  // One file without imports, which the page starts from a Blob (src/verification/start.ts).
  worker: { format: 'es' },
  test: {
    alias: [
      { find: './start.ts', replacement: path.join(import.meta.dirname, 'src/verification/inprocess.ts') },
    ],
    include: ['src/**/*.test.ts', 'words/**/*.test.ts'],
    // The timeouts allow for slow machines.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
