import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest.ts';
import { workers } from './server.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.e2e.ts'],
    globalSetup: ['./server.ts'],
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    testTimeout: 90_000,
    hookTimeout: 60_000,
    // A block comes within a second or so, and later on a machine that has more to do.
    expect: { poll: { timeout: 30_000 } },
  },
});
