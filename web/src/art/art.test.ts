import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tokenFacets } from './tokenart.ts';
import { quilt } from './identicon.ts';
import { medalFacets } from './medal.ts';
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

test('medals: a coinage by hash, a metal by place, within the view box', () => {
  const hashes = Array.from({ length: 300 }, (_, i) => i.toString(16).padStart(64, '0'));
  const points = (hash: string, place: number) => medalFacets(hash, place).map((facet) => facet.points);
  const fills = (place: number) => medalFacets('ab', place).map(({ fill }) => fill);
  expect(new Set(hashes.map((hash) => JSON.stringify(points(hash, 1)))).size).toBe(hashes.length);
  expect(points('ab', 1)).toEqual(points('ab', 3));
  expect(new Set([1, 2, 3].map((place) => JSON.stringify(fills(place)))).size).toBe(3);
  expect(fills(0)).toEqual(fills(3));
  for (const hash of hashes) {
    const drawn = medalFacets(hash, 1);
    const numbers = drawn.flatMap((facet) => facet.points.split(/[ ,]/).map(Number));
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(98);
    expect(drawn.every(({ fill }) => /^hsl\(\d+ \d+% \d+\.\d%\)$/.test(fill))).toBe(true);
  }
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
