// The budgets of times: alone on the machine, one after the other.

import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

export default defineConfig({
  ...everything,
  test: { ...everything.test, include: ['budget.e2e.ts'], exclude: [], maxWorkers: 1 },
});
