import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { match, placeOf, routes } from './routes.ts';

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

test('each row that belongs to a place names one that leads to the navigation', () => {
  for (const route of routes.filter((row) => row.in)) {
    expect(placeOf(route, ({ nav }) => nav)?.nav, route.path).toBeDefined();
    expect(placeOf(route, ({ thumb }) => thumb)?.thumb, route.path).toBe(true);
  }
  // More do not fit beside one another on the narrowest phone.
  expect(routes.filter(({ thumb }) => thumb).length).toBeLessThanOrEqual(6);
});

test.each([
  ['/d/0123ABCD', '/duels', '/duels'],
  ['/bots/kea', '/arena', '/duels'],
  ['/arena', '/arena', '/duels'],
  ['/verify', '/verify', '/chain'],
  ['/token/7', '/market', '/market'],
  ['/link', undefined, undefined],
])('%s belongs to %s above and to %s below', (path, above, below) => {
  const route = match(path)?.route;
  expect(placeOf(route, ({ nav }) => nav)?.path).toBe(above);
  expect(placeOf(route, ({ thumb }) => thumb)?.path).toBe(below);
});
