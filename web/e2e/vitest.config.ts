import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest.ts';
import { waitTimeout, workers } from './server.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.e2e.ts'],
    exclude: ['budget.e2e.ts'], // measures times: budget.config.ts runs it alone
    globalSetup: ['./server.ts'],
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    // Waits normally end within a second. The timeouts are long, so that a test fails because a condition never holds
    // and not because the machine is slow.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: waitTimeout } },
  },
});
