import type { PageRoute } from './routes.ts';

/** Returns the pages that a session may open, in their order. */
export function openRoutes(
  routes: readonly PageRoute[],
  { scopes, operates }: { readonly scopes: readonly string[]; readonly operates: boolean },
): readonly PageRoute[] {
  return routes.filter(
    (route) =>
      route.scopes.every((scope) => scopes.includes(scope)) && (operates || route.isForOperators !== true),
  );
}
