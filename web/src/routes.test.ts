import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { match, sectionOf, routes } from './routes.ts';

test.each([
  ['/', 'Play', {}],
  ['/block/12', 'Block', { id: '12' }],
  ['/address/rps1%20x', 'Address', { address: 'rps1 x' }],
  ['/r/%E0%A4%A', 'Receipt', { run_id: '%E0%A4%A' }],
])('%s matches page %s', (address, page, params) => {
  expect(match(address)).toMatchObject({ route: { page }, params });
});

test.each(['/nowhere', '/block', '/block/', '/block/1/2', '//', '', '/Chain'])(
  '%j matches no page',
  (address) => {
    expect(match(address)).toBeNull();
  },
);

test('each route has a page', () => {
  for (const { page } of routes) {
    expect(existsSync(path.join(import.meta.dirname, 'pages', `${page}.svelte`)), page).toBe(true);
  }
});

test('each route with a parent leads to a section of both navigations', () => {
  for (const route of routes.filter((row) => row.in)) {
    expect(sectionOf(route, ({ nav }) => nav)?.nav, route.path).toBeDefined();
    // The bottom bar has no room for the developers' section.
    if (route.in === '/developers') continue;
    expect(sectionOf(route, ({ thumb }) => thumb)?.thumb, route.path).toBe(true);
  }
  // The narrowest phone has room for six sections.
  expect(routes.filter(({ thumb }) => thumb).length).toBeLessThanOrEqual(6);
});

test.each([
  ['/d/0123ABCD', '/duels', '/duels'],
  ['/bots/kea', '/arena', '/duels'],
  ['/arena', '/arena', '/duels'],
  ['/verify', '/verify', '/chain'],
  ['/token/7', '/market', '/market'],
  ['/link', undefined, undefined],
])('%s belongs to section %s in the header and to %s in the bottom bar', (path, header, bottom) => {
  const route = match(path)?.route;
  expect(sectionOf(route, ({ nav }) => nav)?.path).toBe(header);
  expect(sectionOf(route, ({ thumb }) => thumb)?.path).toBe(bottom);
});
