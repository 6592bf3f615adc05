import { defineConfig } from 'vitest/config';
import { workers } from './server.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.e2e.ts'],
    globalSetup: ['./server.ts'],
    maxWorkers: workers,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
