// The routes of the page. The server serves index.html for the paths in routes.json, the navigation shows the routes
// with a `nav`, and each route names its component in pages/.

import table from './routes.json';

export type Params = Readonly<Record<string, string>>;
export interface Route {
  path: string;
  page: string;
  title: string;
  /** Icon in the navigation; routes without an icon are not in the navigation. */
  nav?: string;
  /** The route is in the bottom bar of small screens. */
  thumb?: boolean;
  /** Path of the parent section. */
  in?: string;
  /** The page shows the caller's own things: search engines do not list it. */
  private?: boolean;
}
export interface Match {
  route: Route;
  params: Params;
}

export const routes: readonly Route[] = table;

/** Returns the route of a path, or null. A parameter is one decoded segment. */
export function match(path: string): Match | null {
  const parts = path.split('/');
  for (const route of routes) {
    const pattern = route.path.split('/');
    if (pattern.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((segment, i) => {
      const part = decoded(parts[i] ?? '');
      if (!segment.startsWith(':')) return segment === part;
      params[segment.slice(1)] = part;
      return part !== '';
    });
    if (fits) return { route, params };
  }
  return null;
}

/** Returns the section that a route belongs to: the route itself, or its nearest ancestor that is a section. */
export function sectionOf(route: Route | undefined, isSection: (route: Route) => unknown): Route | undefined {
  if (!route || isSection(route)) return route;
  return sectionOf(
    routes.find(({ path }) => path === route.in),
    isSection,
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
