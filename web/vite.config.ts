import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// The service that `npm run dev` proxies API requests to.
const api = process.env.ROSHAMBO_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // No inlined assets: the Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': api, '/log': api },
    // The verifier is outside web/, beside the other two verifiers.
    fs: { allow: ['..'] },
  },
  test: {
    include: ['src/**/*.test.ts'],
    // The timeout allows for slow machines.
    testTimeout: 60_000,
  },
});
