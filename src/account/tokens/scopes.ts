/** What an access token may be used for, each by itself. */
export const SCOPES = ['wallets:create', 'wallets:read', 'wallets:sign', 'wallets:destroy'] as const;

/** One of them. */
export type Scope = (typeof SCOPES)[number];

/** Whether a text is a scope. */
export function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text);
}
