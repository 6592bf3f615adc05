import { expect, test, vi } from 'vitest';
import { identity } from './identity.svelte.ts';

const post = vi.hoisted(() => vi.fn());

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), post }));
vi.mock('./game.svelte.ts', () => ({ game: { resume: () => Promise.resolve() } }));
vi.mock('./session.svelte.ts', () => ({ session: { renew: () => undefined } }));
vi.mock('./storage.ts', () => ({ setStored: () => undefined }));

test('a reset of the password returns the keys that it has ended', async () => {
  post.mockResolvedValueOnce({ ended_keys: [{ id: 7 }] }).mockResolvedValueOnce({});
  expect(await identity.resetPassword('token', 'battery staple')).toEqual([{ id: 7 }]);
  expect(await identity.resetPassword('token', 'battery staple')).toEqual([]);
});
