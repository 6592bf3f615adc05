// What the page remembers of each entry of the browser's history: how far it was scrolled, and its lists. Back and forward
// find both again. Browsers without the Navigation API begin each page at its top.

interface Entry {
  key: string;
}
interface History extends EventTarget {
  currentEntry: Entry | null;
}
const browser = (globalThis as { navigation?: History }).navigation;

/** The item of sessionStorage that holds the positions over a reload. */
const item = 'roshambo/scrolled';
/** Milliseconds in which a page may still grow to the remembered position, and the most entries with lists. */
const [growMs, mostLists] = [5000, 100];

const positions = new Map<string, number>();
const lists = new Map<string, unknown>();
/** The position that the page on display is to be scrolled to. */
let wanted: number | null = null;
let stop: () => void = () => undefined;

function entry(): string {
  return browser?.currentEntry?.key ?? '';
}

/** Notes the position whenever an entry is left, and looks it up whenever one is visited again. */
export function start(): void {
  if (!browser) return;
  history.scrollRestoration = 'manual'; // the browser would scroll before the page has its content
  restored();
  if (performance.getEntriesByType('navigation').some((from) => 'type' in from && from.type !== 'navigate'))
    wanted = positions.get(entry()) ?? null;
  browser.addEventListener('navigate', note);
  browser.addEventListener('currententrychange', (event) => {
    const type = 'navigationType' in event ? event.navigationType : null;
    if (type === 'traverse') wanted = positions.get(entry()) ?? 0;
    else if (type === 'push') wanted = null;
  });
  addEventListener('pagehide', () => {
    note();
    try {
      sessionStorage.setItem(item, JSON.stringify([...positions]));
    } catch {
      // Without storage a reload begins at the top.
    }
  });
}

function note(): void {
  stop();
  positions.set(entry(), scrollY);
}

/** Reads the positions from before a reload. */
function restored(): void {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(item) ?? '[]');
    for (const [key, y] of stored as [string, number][]) positions.set(key, y);
  } catch {
    // As without a stored position.
  }
}

/** Scrolls a page that was just drawn to its position, as soon as it is long enough, unless the player scrolls first. */
export function arrive(page: HTMLElement): void {
  const y = wanted;
  wanted = null;
  stop();
  if (y === null) return;
  const move = (): void => {
    scrollTo(0, y);
    if (scrollY >= y - 1) stop();
  };
  const grown = new ResizeObserver(move);
  const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  const timer = setTimeout(() => stop(), growMs);
  const end = (): void => stop();
  stop = () => {
    stop = () => undefined;
    grown.disconnect();
    clearTimeout(timer);
    for (const input of inputs) removeEventListener(input, end);
  };
  for (const input of inputs) addEventListener(input, end, { passive: true });
  grown.observe(page);
  move();
}

/** Forgets all lists: another account's lists must not return. */
export function forget(): void {
  lists.clear();
}

/**
 * Keeps a list of the page on display, and returns the one that an earlier visit of the same entry of the history has kept
 * under this name.
 */
export function recall<T>(name: string, list: T): T | undefined {
  if (!browser) return undefined;
  const key = `${entry()} ${name}`;
  const before = lists.get(key) as T | undefined;
  lists.delete(key);
  lists.set(key, list);
  for (const oldest of lists.keys()) {
    if (lists.size <= mostLists) break;
    lists.delete(oldest);
  }
  return before;
}
