// A page comes back to where it was scrolled, once it is long enough.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

class Navigation extends EventTarget {
  currentEntry = { key: '1' };
  /** Moves to an entry, as a link or the button Back does. */
  to(key: string, navigationType: 'push' | 'traverse'): void {
    this.dispatchEvent(new Event('navigate'));
    this.currentEntry = { key };
    this.dispatchEvent(Object.assign(new Event('currententrychange'), { navigationType }));
  }
}

/** Called whenever the page grows. */
let grow: () => void = () => undefined;
let height = 0;
let navigation: Navigation;
const page = {} as HTMLElement;
const inputs = new EventTarget();
const items = new Map<string, string>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  navigation = new Navigation();
  height = 2000;
  items.clear();
  vi.stubGlobal('navigation', navigation);
  vi.stubGlobal('history', { scrollRestoration: 'auto' });
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal('scrollTo', (_: number, y: number) => vi.stubGlobal('scrollY', Math.min(y, height)));
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  });
  vi.stubGlobal('addEventListener', inputs.addEventListener.bind(inputs));
  vi.stubGlobal('removeEventListener', inputs.removeEventListener.bind(inputs));
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(callback: () => void) {
        grow = callback;
      }
      observe = () => undefined;
      disconnect = () => (grow = () => undefined);
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function started() {
  const memory = await import('./memory.ts');
  memory.start();
  return memory;
}

test('Back restores the position, and a link begins at the top', async () => {
  const memory = await started();
  scrollTo(0, 800);
  navigation.to('2', 'push');
  scrollTo(0, 0);
  memory.arrive(page);
  expect(scrollY).toBe(0);
  scrollTo(0, 300);
  navigation.to('1', 'traverse');
  memory.arrive(page);
  expect(scrollY).toBe(800);
  navigation.to('2', 'traverse'); // and forward
  memory.arrive(page);
  expect(scrollY).toBe(300);
});

test('a page that is still short is scrolled once it has grown, and no more after that', async () => {
  const memory = await started();
  scrollTo(0, 800);
  navigation.to('2', 'push');
  height = 100;
  navigation.to('1', 'traverse');
  memory.arrive(page);
  expect(scrollY).toBe(100);
  height = 900;
  grow();
  expect(scrollY).toBe(800);
  scrollTo(0, 50);
  grow();
  expect(scrollY).toBe(50);
});

test.each(['wheel', 'timeout'])('the page is left where it is after %s', async (end) => {
  const memory = await started();
  scrollTo(0, 800);
  navigation.to('2', 'push');
  height = 100;
  navigation.to('1', 'traverse');
  memory.arrive(page);
  if (end === 'wheel') inputs.dispatchEvent(new Event('wheel'));
  else vi.advanceTimersByTime(5000);
  height = 900;
  grow();
  expect(scrollY).toBe(100);
});

test('a reload finds the position again', async () => {
  await started();
  scrollTo(0, 700);
  inputs.dispatchEvent(new Event('pagehide'));
  scrollTo(0, 0);
  vi.resetModules();
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([
    { type: 'reload' } as unknown as PerformanceEntry,
  ]);
  const memory = await started();
  memory.arrive(page);
  expect(scrollY).toBe(700);
  vi.restoreAllMocks();
});
