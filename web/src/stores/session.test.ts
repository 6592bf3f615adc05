// A session that ended is no new player: the page keeps the name, asks, and creates a guest by a tap on a hand alone.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** Answers to requests by method and path; a test sets those it needs. */
const answers = new Map<string, () => Response>();
const sent: string[] = [];
const items = new Map<string, string>();
let visitor = true;

const account = (username: string, kind = 'account') => ({
  account: { username, kind, address: `address of ${username}` },
  balance: 1000,
  csrf_token: 'token',
});
const over = (): Response =>
  Response.json({ code: 'unauthenticated', message: 'The session is over.' }, { status: 401 });

beforeEach(() => {
  vi.useFakeTimers();
  answers.clear();
  sent.length = 0;
  items.clear();
  visitor = false;
  vi.stubGlobal('document', { documentElement: { lang: 'en', hasAttribute: () => visitor } });
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  });
  vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) => {
    const call = `${options.method ?? 'GET'} ${url}`;
    sent.push(call);
    const answer = answers.get(call);
    return answer ? Promise.resolve(answer()) : Promise.reject(new Error(`unexpected: ${call}`));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Returns the session as after a reload of the page. */
async function loaded() {
  vi.resetModules();
  const { session, Declined } = await import('./session.svelte.ts');
  await session.load();
  return { session, Declined };
}

const guestCall = 'POST /api/guest?me=true';

/** Returns the session of Ada, which the service has ended since. */
async function ended(kind = 'account') {
  answers.set('GET /api/me', () => Response.json(account('ada', kind)));
  const { session, Declined } = await loaded();
  expect(session.me?.account.username).toBe('ada');
  answers.set('GET /api/me', over);
  await session.load();
  sent.length = 0;
  return { session, Declined };
}

test('a session that ended keeps the name, and the page asks no more', async () => {
  const { session } = await ended();
  expect([session.me, session.state, session.was]).toEqual([null, 'none', { name: 'ada', guest: false }]);
  expect(session.held).toBe(true);
  await session.load();
  await session.load();
  expect(sent).toEqual([]);
});

test('any call that is refused for the session ends it', async () => {
  answers.set('GET /api/me', () => Response.json(account('ada', 'guest')));
  const { session } = await loaded();
  answers.set('POST /api/faucet', over);
  await expect(session.faucet()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(session.was).toEqual({ name: 'ada', guest: true });
});

test('a reload still knows whose session has ended, without a call, and holds nothing', async () => {
  await ended();
  const { session } = await loaded();
  expect([session.state, session.was, session.held]).toEqual(['none', { name: 'ada', guest: false }, false]);
  expect(sent).toEqual([]);
});

test('after the end of a session a tap on a hand creates no guest before the choice', async () => {
  const { session, Declined } = await ended();
  await expect(session.guest()).rejects.toBeInstanceOf(Declined);
  expect([session.asks, sent]).toEqual(['choice', []]);
  session.forget();
  expect([session.asks, session.was, session.held]).toEqual([null, null, false]);
  answers.set(guestCall, () =>
    Response.json({ ...account('guest1', 'guest'), me: account('guest1', 'guest') }),
  );
  expect((await session.guest()).account.username).toBe('guest1');
  expect(sent).toEqual([guestCall]); // its answer has the account
  answers.set('GET /api/me', () => Response.json(account('guest1', 'guest')));
  const again = await loaded();
  expect(again.session.was).toBe(null);
});

test('signing in, here or in another tab, ends the question', async () => {
  const { session } = await ended();
  answers.set('GET /api/me', () => Response.json(account('ada')));
  session.renew();
  await session.load();
  expect([session.was, session.me?.account.username]).toEqual([null, 'ada']);

  const { session: other } = await ended();
  answers.set('GET /api/me', () => Response.json(account('eve')));
  items.set('roshambo/session', 'true');
  await other.load();
  expect([other.was, other.me?.account.username]).toEqual([null, 'eve']);
});

test('an act without an account asks, and goes on with the guest of a tap on a hand', async () => {
  visitor = true;
  const { session, Declined } = await loaded();
  expect([session.state, session.was, sent]).toEqual(['none', null, []]);
  const declined = session.ensure();
  await vi.advanceTimersByTimeAsync(0);
  expect([session.asks, sent]).toEqual(['account', []]);
  session.decline();
  await expect(declined).rejects.toBeInstanceOf(Declined);
  expect(session.asks).toBe(null);

  const both = Promise.all([session.ensure(), session.ensure()]);
  await vi.advanceTimersByTimeAsync(0);
  answers.set(guestCall, () => Response.json({ me: account('guest1', 'guest') }));
  await Promise.all([session.guest(), session.guest()]);
  expect((await both).map((me) => me.account.username)).toEqual(['guest1', 'guest1']);
  expect([session.asks, sent]).toEqual([null, [guestCall]]);
});

test('an account that could not be read is not replaced by a guest', async () => {
  answers.set('GET /api/me', () => Response.json({ code: 'internal', message: 'x' }, { status: 500 }));
  const { session } = await loaded();
  expect(session.state).toBe('failed');
  await expect(session.guest()).rejects.toMatchObject({ status: 500 });
  await expect(session.ensure()).rejects.toMatchObject({ status: 500 });
  expect(sent.filter((call) => call.startsWith('POST'))).toEqual([]);
});

test('the page passes from one player to another, and from a visitor to none', async () => {
  visitor = true;
  const { session } = await loaded();
  const { viewer } = await import('./viewer.svelte.ts');
  const seen: unknown[] = [];
  viewer.onChange(() => seen.push(session.me?.account.username));
  const signIn = async (name: string): Promise<void> => {
    answers.set('GET /api/me', () => Response.json(account(name)));
    items.set('roshambo/session', 'true');
    session.renew();
    await session.load();
  };
  await signIn('ada'); // the visitor has an account now
  await signIn('ada');
  session.end();
  expect([viewer.generation, seen]).toEqual([0, []]);
  await signIn('eve');
  expect([viewer.generation, seen]).toEqual([1, [undefined]]); // before anything of Eve is on the page
  session.end();
  session.forget(); // she goes on as a guest
  await signIn('guest1');
  expect(viewer.generation).toBe(2);
  // Another tab has signed in as another player.
  answers.set('GET /api/me', () => Response.json(account('ada')));
  await session.load();
  expect([viewer.generation, seen]).toEqual([3, [undefined, undefined, 'guest1']]);
});

test('the entries are read again once their day is over, and each minute until that succeeds', async () => {
  vi.setSystemTime('2026-11-28T23:30:00Z');
  answers.set('GET /api/me', () => Response.json(account('ada')));
  const { session } = await loaded();
  const { fresh } = await import('./fresh.ts');
  session.follow();
  await vi.advanceTimersByTimeAsync(0);
  sent.length = 0;
  const until = async (time: string) => {
    await vi.advanceTimersByTimeAsync(Date.parse(time) - Date.now());
    return sent.splice(0).length;
  };
  expect(await until('2026-11-29T00:00:01Z')).toBe(0);
  answers.set('GET /api/me', () => Response.json({ code: 'internal', message: 'x' }, { status: 500 }));
  expect(await until('2026-11-29T00:00:30Z')).toBe(1);
  answers.set('GET /api/me', () => Response.json(account('ada')));
  expect(await until('2026-11-29T00:02:00Z')).toBe(1);
  expect(await until('2026-11-29T23:59:59Z')).toBe(0);
  expect(await until('2026-11-30T00:00:30Z')).toBe(1);
  fresh.hold(true);
  expect(await until('2026-12-02T00:00:00Z')).toBe(0);
});

test('a deleted account leaves a visitor', async () => {
  const { session } = await ended();
  session.forget();
  const again = await loaded();
  expect([again.session.state, again.session.was]).toEqual(['none', null]);
});
