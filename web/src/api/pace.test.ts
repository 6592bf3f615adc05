import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Returns a server with the service's limit of 240 requests in any minute. */
function server() {
  let times: number[] = [];
  return (): { ok: boolean; headers: Headers } => {
    const now = Date.now();
    times = times.filter((t) => t > now - 60_000);
    const ok = times.length < 240;
    if (ok) times.push(now);
    const t = Math.ceil(((times[0] ?? now) + 60_000 - now) / 1000);
    const headers = new Headers({
      RateLimit: `"ip";r=${240 - times.length};t=${t}`,
      'RateLimit-Policy': '"ip";q=240;w=60',
    });
    return { ok, headers };
  };
}

test.each([1, 4])('%i callers at full speed are never refused', async (callers) => {
  vi.resetModules();
  const { acquire, release } = await import('./pace.ts');
  const request = server();
  const begin = Date.now();
  let [sent, refused] = [0, 0];
  const caller = async (): Promise<void> => {
    while (Date.now() - begin < 600_000) {
      await acquire();
      // The network delays requests by up to 40 ms, differently each time.
      await new Promise((done) => setTimeout(done, (sent * 7919) % 41));
      const { ok, headers } = request();
      release(headers);
      sent++;
      if (!ok) refused++;
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  await vi.advanceTimersByTimeAsync(700_000);
  await all;
  expect(refused).toBe(0);
  expect(sent).toBeGreaterThan(2300);
  expect(sent).toBeLessThan(2400);
});

test('a step of a duel waits for three seconds, behind whatever else waits', async () => {
  vi.resetModules();
  const { acquire, release } = await import('./pace.ts');
  await acquire();
  release(new Headers({ RateLimit: '"ip";r=0;t=59', 'RateLimit-Policy': '"ip";q=240;w=60' }));
  const begin = Date.now();
  const at: Record<string, number> = {};
  const send = async (name: string, longest?: number): Promise<void> => {
    await acquire(longest);
    at[name] = (Date.now() - begin) / 1000;
    release(null);
  };
  const all = Promise.all([send('one'), send('two'), send('step', 3000), send('three')]);
  await vi.advanceTimersByTimeAsync(600_000);
  await all;
  expect(at.step).toBeLessThanOrEqual(3);
  expect(at.one).toBeGreaterThan(50);
  expect((at.two ?? 0) - (at.one ?? 0)).toBeGreaterThan(50);
});
