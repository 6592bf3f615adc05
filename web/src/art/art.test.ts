import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tokenFacets } from './tokenart.ts';
import { quilt } from './identicon.ts';
import { sealArt } from './seal.ts';

const tiers = Array.from({ length: 16 }, (_, i) => i + 1);

test.each(tiers)('token art of tier %i is deterministic and stays within its view box', (tier) => {
  const facets = tokenFacets(tier, 'token/7');
  expect(facets).toEqual(tokenFacets(tier, 'token/7'));
  expect(facets).not.toEqual(tokenFacets(tier, 'token/8'));
  for (const { points, fill } of facets) {
    const numbers = points.split(/[ ,]/).map(Number);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(100);
    expect(fill).toMatch(/^hsl\(-?\d+ \d+% \d+\.\d%\)$/);
  }
});

test('every material has its own picture', () => {
  const pictures = new Set(tiers.map((tier) => JSON.stringify(tokenFacets(tier, 'one seed'))));
  expect(pictures.size).toBe(16);
});

test('an unknown tier is drawn as tier 1', () => {
  expect(tokenFacets(0, 'x')).toEqual(tokenFacets(1, 'x'));
  expect(tokenFacets(17, 'x')).toEqual(tokenFacets(1, 'x'));
});

test('identicons and seals are distinct and valid', () => {
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
  facets: ReturnType<typeof tokenFacets>;
}

// The service draws the same pictures (internal/server/tokenart); its tests read the same file.
const pictures = JSON.parse(
  readFileSync(new URL('../../../internal/server/tokenart/testdata/gems.json', import.meta.url), 'utf8'),
) as Picture[];

test.each(pictures)('tier $tier matches the shared test vector', ({ tier, seed, facets }) => {
  expect(tokenFacets(tier, seed)).toEqual(facets);
});
