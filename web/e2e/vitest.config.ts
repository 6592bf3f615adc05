import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest.ts';
import { patience, workers } from './server.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.e2e.ts'],
    globalSetup: ['./server.ts'],
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    // What is waited for comes within a second or so, and later on a machine that has more to do: a test fails because
    // something does not come, not because it comes late.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: patience } },
  },
});
