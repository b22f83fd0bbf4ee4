/** Returns the pages that a member with these scopes may open, in their order. */
export function openRoutes<R extends { readonly scopes: readonly string[] }>(
  routes: readonly R[],
  scopes: readonly string[],
): readonly R[] {
  return routes.filter((route) => route.scopes.every((scope) => scopes.includes(scope)));
}
