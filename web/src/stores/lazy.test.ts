import { expect, test, vi } from 'vitest';
import { ChunkLoadError } from '../chunks.ts';
import { Lazy } from './lazy.svelte.ts';

test('a component that could not be loaded is loaded by the next attempt', async () => {
  const run = vi
    .fn<() => Promise<{ default: string }>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValue({ default: 'drawn' });
  const lazy = new Lazy('part', run);
  await lazy.load();
  expect([lazy.Component, lazy.error instanceof ChunkLoadError]).toEqual([null, true]);
  await lazy.load();
  expect([lazy.Component, lazy.error]).toEqual(['drawn', null]);
});
