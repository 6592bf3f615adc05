// Addresses of the page. routes.json is the one table: the server answers the same paths with index.html, the
// navigation shows the rows that have a `nav`, and each row names the file in pages/ that draws it.

import table from './routes.json';

export type Params = Readonly<Record<string, string>>;
export interface Route {
  path: string;
  page: string;
  title: string;
  /** Icon of the row in the navigation; rows without one are reached by links. */
  nav?: string;
  /** It has its place at the bottom of a phone. */
  thumb?: boolean;
  /** Address of the place that it belongs to. */
  in?: string;
}
export interface Match {
  route: Route;
  params: Params;
}

export const routes: readonly Route[] = table;

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

/** The place of a navigation that a row belongs to: itself, when it is one, or the nearest above it. */
export function placeOf(route: Route | undefined, isPlace: (route: Route) => unknown): Route | undefined {
  if (!route || isPlace(route)) return route;
  return placeOf(
    routes.find(({ path }) => path === route.in),
    isPlace,
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
