// Addresses of the page. routes.json is the one table: the server answers the same paths with index.html, the
// navigation shows the rows that have a `nav`, and each row names the file in pages/ that draws it.

import type { Component } from 'svelte';
import Play from './pages/Play.svelte';
import table from './routes.json';

export type Params = Readonly<Record<string, string>>;
export interface Route {
  path: string;
  page: string;
  title: string;
  /** Icon of the row in the navigation; rows without one are reached by links. */
  nav?: string;
}
export interface Match {
  route: Route;
  params: Params;
}

export const routes: readonly Route[] = table;

type Page = Component<{ params: Params }>;
/** Play comes with the first load, everything else when somebody goes there. */
const pages = import.meta.glob<{ default: Page }>(['./pages/*.svelte', '!./pages/Play.svelte']);

/** The row for a path, or null; a parameter is one segment, decoded. */
export function match(path: string): Match | null {
  const parts = path.split('/');
  for (const route of routes) {
    const want = route.path.split('/');
    if (want.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = want.every((segment, i) => {
      const part = decoded(parts[i] ?? '');
      if (!segment.startsWith(':')) return segment === part;
      params[segment.slice(1)] = part;
      return part !== '';
    });
    if (fits) return { route, params };
  }
  return null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A page's code; the browser keeps what it fetched. */
export async function load(page: string): Promise<Page> {
  if (page === 'Play') return Play;
  const fetchPage = pages[`./pages/${page}.svelte`];
  if (!fetchPage) throw new Error(`routes.json names a page that does not exist: ${page}`);
  return (await fetchPage()).default;
}

class Router {
  path = $state(location.pathname);
  readonly match: Match | null = $derived(match(this.path));

  /** Takes over plain clicks on links of this page; everything else stays the browser's business. */
  start(): void {
    addEventListener('popstate', () => (this.path = location.pathname));
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
      if (!link || modified || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
      if (link.origin !== location.origin || link.hash || !match(link.pathname)) return;
      event.preventDefault();
      this.go(link.pathname + link.search);
    });
  }

  go(address: string): void {
    if (address !== location.pathname + location.search) history.pushState(null, '', address);
    this.path = location.pathname;
    scrollTo(0, 0);
  }
}

export const router = new Router();
