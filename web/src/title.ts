// The title of the document: what the page shows, which is its heading. So the tab, the history and the bookmarks name
// the token or the duel, also once it has loaded.

import type { Match } from './routes.ts';
import { shortened } from './text/numbers.ts';
import { t } from './text/language.ts';

const site = 'Roshambo';
/** Precedes the title while a duel waits for the player. */
const turnMark = `● ${t('Your turn')} · `;

/** The title without the mark, and whether it has the mark. Null until the page has set a title. */
let plain: string | null = null;
let marked = false;

function show(): void {
  if (plain === null) return;
  const title = marked ? turnMark + plain : plain;
  if (document.title !== title) document.title = title;
}

/** Keeps the mark in front of the title while `on`, whatever the page shows. */
export function markTitle(on: boolean): void {
  marked = on;
  show();
}

/** Returns the title of a page from its route and the text of its heading. */
export function titleOf(match: Match | null, heading: string): string {
  if (!match) return `${t('Not found')} · ${site}`;
  const { route, params } = match;
  const title = t(route.title);
  const [param] = Object.values(params);
  // The game's heading is a sentence.
  if (param === undefined) return `${route.path === '/' ? title : heading || title} · ${site}`;
  // A heading that names the kind alone is completed by the thing: "Transaction 12ab…89ef".
  const generic = !heading || heading.toLowerCase().endsWith(title.toLowerCase());
  return `${generic ? `${heading || title} ${shortened(param)}` : heading} · ${site}`;
}

/** Keeps the title in step with the heading inside an element. Returns a function that stops it. */
export function keepTitle(root: HTMLElement, match: () => Match | null): () => void {
  const update = () => {
    plain = titleOf(match(), headingOf(root));
    show();
  };
  const observer = new MutationObserver(update);
  observer.observe(root, { childList: true, subtree: true, characterData: true });
  update();
  return () => observer.disconnect();
}

/** Returns the text of the heading without the labels beside it. */
function headingOf(root: HTMLElement): string {
  const heading = root.querySelector('h1')?.cloneNode(true) as HTMLElement | undefined;
  for (const label of heading?.querySelectorAll('[data-label]') ?? []) label.remove();
  return heading?.textContent.replace(/\s+/g, ' ').trim() ?? '';
}
