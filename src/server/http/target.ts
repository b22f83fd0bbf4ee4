/** The path prefixes of the REST services. */
export const REST_PREFIXES = { wallets: '/v1/', account: '/account/v1/' } as const;

export type RestServiceName = keyof typeof REST_PREFIXES;

const NAMES = Object.keys(REST_PREFIXES) as readonly RestServiceName[];

/** Returns the REST service that a path belongs to. */
export function restServiceOf(path: string): RestServiceName | undefined {
  return NAMES.find((name) => path.startsWith(REST_PREFIXES[name]));
}

/** Returns the path of a request target, in origin form or, as every server must accept, in absolute form (RFC 9112, section 3.2.2). */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  const address = query < 0 ? target : target.slice(0, query);
  return address.startsWith('/') ? address : address.replace(/^https?:\/\/[^/]*/i, '');
}

/** Returns the path that JSON-RPC is looked up by: one slash at its end, which proxies add that replace a prefix, does not count. */
export function rpcPathOf(target: string): string {
  const path = pathOf(target);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Returns the query of a request target, without its question mark; empty without a query. */
export function queryOf(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? '' : target.slice(query + 1);
}
