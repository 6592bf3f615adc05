// The browser tests of the gate: one file, with one browser and one service.

import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

export default defineConfig({
  ...everything,
  test: { ...everything.test, include: ['gate.e2e.ts'], maxWorkers: 1 },
});
