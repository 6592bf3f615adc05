import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// The server that the development page talks to; `npm run dev` is the only reader.
const api = process.env.ROSHAMBO_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Everything is a file of this site: the Content-Security-Policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': api, '/log': api },
    // The verifier lives beside web/, where the other two verifiers live.
    fs: { allow: ['..'] },
  },
  test: {
    include: ['src/**/*.test.ts'],
    // A busy machine is no fault of the page.
    testTimeout: 60_000,
  },
});
