import { afterEach, expect, test, vi } from 'vitest';
import { ChunkLoadError, loadChunk, reloadOnce } from './chunks.ts';

afterEach(() => vi.unstubAllGlobals());

test('a chunk that failed to load is requested again', async () => {
  const run = vi.fn(() => Promise.resolve('code'));
  run.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(loadChunk('play', run)).rejects.toBeInstanceOf(ChunkLoadError);
  await expect(loadChunk('play', run)).resolves.toBe('code');
  expect(run).toHaveBeenCalledTimes(2);
});

test('a page whose code is missing reloads once for each version', () => {
  const stored = new Map<string, string>();
  const reload = vi.fn();
  let version = 'index-1.js';
  vi.stubGlobal('document', { querySelector: () => ({ src: version }) });
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  expect(reloadOnce('/play')).toBe(true);
  expect(reloadOnce('/play')).toBe(false);
  version = 'index-2.js';
  expect(reloadOnce('/play')).toBe(true);
  expect(reload).toHaveBeenCalledTimes(2);
});
