// What runs before every merge: one file, on one browser and one service.

import { mergeConfig } from 'vitest/config';
import everything from './vitest.config.ts';

const config = mergeConfig(everything, {});
config.test = { ...config.test, include: ['gate.e2e.ts'], maxWorkers: 1 };
export default config;
