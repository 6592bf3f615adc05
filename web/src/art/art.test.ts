import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gemFacets } from './gem.ts';
import { quilt } from './identicon.ts';
import { sealArt } from './seal.ts';

const tiers = Array.from({ length: 16 }, (_, i) => i + 1);

test.each(tiers)('the token of tier %i is drawn within its box, the same way every time', (tier) => {
  const facets = gemFacets(tier, 'token/7');
  expect(facets).toEqual(gemFacets(tier, 'token/7'));
  expect(facets).not.toEqual(gemFacets(tier, 'token/8'));
  for (const { points, fill } of facets) {
    const numbers = points.split(/[ ,]/).map(Number);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(100);
    expect(fill).toMatch(/^hsl\(-?\d+ \d+% \d+\.\d%\)$/);
  }
});

test('no two materials look alike', () => {
  const pictures = new Set(tiers.map((tier) => JSON.stringify(gemFacets(tier, 'one seed'))));
  expect(pictures.size).toBe(16);
});

test('an unknown tier is drawn as clay', () => {
  expect(gemFacets(0, 'x')).toEqual(gemFacets(1, 'x'));
  expect(gemFacets(17, 'x')).toEqual(gemFacets(1, 'x'));
});

test('addresses and seals have faces of their own', () => {
  const names = Array.from({ length: 500 }, (_, i) => `rps1${i}`);
  expect(new Set(names.map((name) => JSON.stringify(quilt(name)))).size).toBe(500);
  expect(new Set(names.map((name) => sealArt(name).edge)).size).toBe(500);
  expect(quilt('rps1abc')).toEqual(quilt('rps1abc'));
  expect(JSON.stringify(names.map(sealArt)) + JSON.stringify(names.map(quilt))).not.toMatch(
    /NaN|undefined|null/,
  );
});

interface Picture {
  tier: number;
  seed: string;
  facets: ReturnType<typeof gemFacets>;
}

// The service draws the same pictures (internal/server/tokenart), and holds itself to the same file.
const pictures = JSON.parse(
  readFileSync(new URL('../../../internal/server/tokenart/testdata/gems.json', import.meta.url), 'utf8'),
) as Picture[];

test.each(pictures)(
  'tier $tier looks here as it does in the file of the service',
  ({ tier, seed, facets }) => {
    expect(gemFacets(tier, seed)).toEqual(facets);
  },
);
