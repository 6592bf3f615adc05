// The client-side router: keeps the address bar and the page in step without reloading the document.

import type { Component } from 'svelte';
import Play from './pages/Play.svelte';
import { loadChunk } from './chunks.ts';
import { match, type Match, type Params } from './routes.ts';

/** What a page shows: the parameters of its route, and the query string of the address. */
export interface PageProps {
  params: Params;
  query: URLSearchParams;
}
type Page = Component<PageProps>;
/** Play is part of the first load; every other page is a chunk of its own. */
const pages = import.meta.glob<{ default: Page }>(['./pages/*.svelte', '!./pages/Play.svelte']);

/** Returns the component of a page; rejects with ChunkLoadError. The browser caches loaded chunks. */
export async function load(page: string): Promise<Page> {
  if (page === 'Play') return Play as Component; // without the props, which it does not use
  const fetchPage = pages[`./pages/${page}.svelte`];
  if (!fetchPage) throw new Error(`routes.json names a page that does not exist: ${page}`);
  return (await loadChunk(page, fetchPage)).default;
}

class Router {
  path = $state(location.pathname);
  #search = $state(location.search);
  readonly match: Match | null = $derived(match(this.path));
  readonly query: URLSearchParams = $derived(new URLSearchParams(this.#search));

  /** Handles plain clicks on links to this site. The browser handles all others. */
  start(): void {
    addEventListener('popstate', () => this.#read());
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
    this.#read();
    scrollTo(0, 0);
  }

  /**
   * Changes the address without an entry in the history: for a choice that a link can share, and for a page that leads
   * to another one by itself, as Back would lead forward again.
   */
  replace(address: string): void {
    history.replaceState(history.state, '', address);
    this.#read();
  }

  #read(): void {
    this.path = location.pathname;
    this.#search = location.search;
  }
}

export const router = new Router();
