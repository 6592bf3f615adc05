// A claim is celebrated also if its drawing loads later, unless the next run may have begun.

import { beforeEach, expect, test, vi } from 'vitest';

let loaded: (chunk: object) => void = () => undefined;

vi.mock('../chunks.ts', () => ({ loadChunk: () => new Promise((done) => (loaded = done)) }));
vi.mock('../stores/feel.svelte.ts', () => ({ feel: { cue: vi.fn() } }));
vi.mock('../stores/rules.svelte.ts', () => ({ rules: { all: null } }));

const tier = { tier: 16, material: 'Stardust', value: 3_145_728 };
const drawing = { default: () => undefined };

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
});

test('a claim that comes before its drawing stops the page once that is loaded', async () => {
  const { celebration } = await import('./celebration.svelte.ts');
  celebration.claimed(tier, 7);
  expect(celebration.stopsPage).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  loaded(drawing);
  await vi.advanceTimersByTimeAsync(0);
  expect([celebration.stopsPage, celebration.settled]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([celebration.stopsPage, celebration.settled]).toEqual([true, true]);
  celebration.end();
  celebration.claimed(tier, 8);
  expect([celebration.stopsPage, celebration.settled]).toEqual([true, false]);
});

test('a drawing that comes after the pieces would have gone interrupts nothing', async () => {
  const { celebration } = await import('./celebration.svelte.ts');
  celebration.claimed(tier, 7);
  await vi.advanceTimersByTimeAsync(3000);
  loaded(drawing);
  await vi.advanceTimersByTimeAsync(0);
  expect([celebration.stopsPage, celebration.tier]).toEqual([false, null]);
});
