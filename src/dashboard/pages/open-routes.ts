import type { PageRoute } from './routes.ts';

/** Returns the pages that a session may open, in their order. */
export function openRoutes(routes: readonly PageRoute[], scopes: readonly string[]): readonly PageRoute[] {
  return routes.filter((route) => route.scopes.every((scope) => scopes.includes(scope)));
}
