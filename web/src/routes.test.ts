import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { match, routes } from './routes.ts';

test.each([
  ['/', 'Play', {}],
  ['/block/12', 'Block', { id: '12' }],
  ['/address/rps1%20x', 'Address', { address: 'rps1 x' }],
  ['/r/%E0%A4%A', 'Receipt', { run_id: '%E0%A4%A' }],
])('%s is %s', (address, page, params) => {
  expect(match(address)).toMatchObject({ route: { page }, params });
});

test.each(['/nowhere', '/block', '/block/', '/block/1/2', '//', '', '/Chain'])('%j is no page', (address) => {
  expect(match(address)).toBeNull();
});

test('each row of the table has its page', () => {
  for (const { page } of routes) {
    expect(existsSync(path.join(import.meta.dirname, 'pages', `${page}.svelte`)), page).toBe(true);
  }
});
